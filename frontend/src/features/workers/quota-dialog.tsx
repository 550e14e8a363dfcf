import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { Quota } from '../../shared/api/types'
import { amount } from '../../shared/format/amount'
import { TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'

interface QuotaDialogProps {
  quota: Quota
  onClose: () => void
}

const gigabyte = 1e9

/** What a project may have: its share, and its bounds of slots, storage and requests. */
export function QuotaDialog({ quota, onClose }: QuotaDialogProps) {
  const [share, setShare] = useState(String(quota.share))
  const [slots, setSlots] = useState(shown(quota.slots))
  const [storage, setStorage] = useState(shown(quota.storage === null ? null : quota.storage / gigabyte))
  const [requests, setRequests] = useState(shown(quota.requests))
  const stored = amount(storage)
  const bounds = { storage: stored === null ? null : Math.round(stored * gigabyte), requests: amount(requests) }
  const body = {
    share: Number(share),
    slots: amount(slots),
    ...(bounds.storage !== quota.storage && { storage: bounds.storage }),
    ...(bounds.requests !== quota.requests && { requests: bounds.requests }),
  }
  const save = useMutation({
    mutationFn: () => take(api.PATCH('/projects/{reference}/quota', { params: { path: { reference: quota.project } }, body })),
    meta: { renews: [['workers']] },
    onSuccess: onClose,
  })
  return (
    <FormDialog title={`Quota of the project ${quota.project}`} onClose={onClose} sending={save} action="Save" doing="Saving…">
      <TextField name="share" label="Share" hint="Parts of the slots: with 2 it gets twice what a project with 1 gets while both wait." type="number" min={1} max={1000} step={1} required value={share} onChange={setShare} />
      <TextField name="slots" label="Most slots" hint="At once, in each queue. Leave it empty for as many as there are." type="number" min={1} max={10000} step={1} value={slots} onChange={setSlots} />
      <TextField
        name="storage"
        label="Most storage, GB"
        hint="Images, models and whatever else it keeps. Beyond it uploads and new trainings are refused. Leave it empty for no bound."
        type="number"
        min={0.000001}
        max={1e9}
        step="any"
        value={storage}
        onChange={setStorage}
      />
      <TextField
        name="requests"
        label="Most requests a minute"
        hint="Of all its people and programs; images do not count. Leave it empty for no bound."
        type="number"
        min={1}
        max={10_000_000}
        step={1}
        value={requests}
        onChange={setRequests}
      />
    </FormDialog>
  )
}

function shown(bound: number | null): string {
  return bound === null ? '' : String(bound)
}
