import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { Quota } from '../../shared/api/types'
import { TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'

interface QuotaDialogProps {
  quota: Quota
  onClose: () => void
}

/** The share of a project, and how many slots it may have at once. */
export function QuotaDialog({ quota, onClose }: QuotaDialogProps) {
  const [share, setShare] = useState(String(quota.share))
  const [slots, setSlots] = useState(quota.slots === null ? '' : String(quota.slots))
  const body = { share: Number(share), slots: slots.trim() === '' ? null : Number(slots) }
  const save = useMutation({
    mutationFn: () => take(api.PATCH('/projects/{reference}/quota', { params: { path: { reference: quota.project } }, body })),
    meta: { renews: [['workers']] },
    onSuccess: onClose,
  })
  return (
    <FormDialog title={`Share of the project ${quota.project}`} onClose={onClose} sending={save} action="Save" doing="Saving…" blocked={share.trim() === ''}>
      <TextField name="share" label="Share" hint="Parts of the slots: with 2 it gets twice what a project with 1 gets while both wait." type="number" min={1} max={1000} step={1} required value={share} onChange={setShare} />
      <TextField name="slots" label="Most slots" hint="At once, in each queue. Leave it empty for as many as there are." type="number" min={1} max={10000} step={1} value={slots} onChange={setSlots} />
    </FormDialog>
  )
}
