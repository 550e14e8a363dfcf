import { useRef, useState } from 'react'

import type { Job } from '../../../shared/api/types'
import type { PartsProgress } from './send-in-parts'

export type Sending<Result> =
  | { state: 'idle' }
  | { state: 'sending' | 'waiting'; sent: number; total: number; resumable: boolean }
  | { state: 'reading'; job: number }
  | { state: 'done'; result: Result }
  | { state: 'failed'; error: unknown }

/** Sends, tells how far it is, and answers with the result, or with the job that makes it. */
type Attempt<Result> = (signal: AbortSignal, onProgress: (progress: PartsProgress) => void) => Promise<Result | { job: Job }>

export interface SendingControl {
  /** Sends once more what failed or was stopped. */
  again: () => Promise<void>
  stop: () => void
}

/** Files on their way to the server. `resumable`: what has arrived is not sent again. */
export function useSending<Result extends object>(): Sending<Result> & SendingControl & { start: (attempt: Attempt<Result>, resumable: boolean) => Promise<void> } {
  const [sending, setSending] = useState<Sending<Result>>({ state: 'idle' })
  const begun = useRef<{ attempt: Attempt<Result>; resumable: boolean } | null>(null)
  const stopper = useRef(new AbortController())

  const again = async () => {
    if (!begun.current) return
    const { attempt, resumable } = begun.current
    stopper.current = new AbortController()
    setSending({ state: 'sending', sent: 0, total: 1, resumable })
    try {
      const answer = await attempt(stopper.current.signal, (progress) => setSending({ ...progress, resumable }))
      setSending('job' in answer ? { state: 'reading', job: answer.job.id } : { state: 'done', result: answer })
    } catch (error) {
      setSending({ state: 'failed', error })
    }
  }
  const start = (attempt: Attempt<Result>, resumable: boolean) => {
    begun.current = { attempt, resumable }
    return again()
  }
  return { ...sending, start, again, stop: () => stopper.current.abort() }
}
