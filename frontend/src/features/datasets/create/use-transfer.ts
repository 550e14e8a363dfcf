import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'

import type { Plan } from './plan'
import { type Transfer, transfer } from './transfer'

export interface FolderOrder {
  dataset: string
  plan: Plan
  message: string
}

export interface TransferControl {
  order: FolderOrder | null
  transfer: Transfer | null
  started: number
  begin: (order: FolderOrder) => void
  /** Sends again what failed or was stopped; what had arrived is not stored twice. */
  again: () => void
  stop: () => void
}

/** One folder on its way to the server. */
export function useTransfer(): TransferControl {
  const client = useQueryClient()
  const [order, setOrder] = useState<FolderOrder | null>(null)
  const [state, setState] = useState<Transfer | null>(null)
  const [started, setStarted] = useState(0)
  const stopper = useRef(new AbortController())
  const begin = (wanted: FolderOrder) => {
    stopper.current = new AbortController()
    setOrder(wanted)
    setStarted(Date.now())
    void transfer({ ...wanted, signal: stopper.current.signal, onChange: setState }).then(() => client.invalidateQueries({ queryKey: ['datasets'] }))
  }
  return { order, transfer: state, started, begin, again: () => order && begin(order), stop: () => stopper.current.abort() }
}
