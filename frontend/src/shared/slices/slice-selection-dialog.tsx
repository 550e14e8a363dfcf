import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'

import { api, take } from '../api/client'
import { plural } from '../format/numbers'
import { TextField } from '../ui/fields'
import { FormDialog } from '../ui/form-dialog'

interface SliceSelectionDialogProps {
  dataset: string
  ids: readonly number[]
  /** The name that is proposed. */
  name?: string
  /** Goes on to mine among them. */
  mine?: boolean
  /** What else has to be said before. */
  children?: ReactNode
  onClose: () => void
}

/** Keeps samples that were chosen somewhere under a name, for evaluation, mining and the next look. */
export function SliceSelectionDialog({ dataset, ids, name: proposed = '', mine = false, children, onClose }: SliceSelectionDialogProps) {
  const [name, setName] = useState(proposed)
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/slices', { params: { path: { reference: dataset } }, body: { name, filter: { samples: [...ids] } } })),
    meta: { renews: [['datasets', dataset, 'slices']] },
    onSuccess: async (made) => {
      onClose()
      if (mine) await navigate({ to: '/mining/new', search: { dataset, slice: made.name } })
      else await navigate({ to: '/datasets/$id', params: { id: dataset }, search: { slice: made.name } })
    },
  })
  return (
    <FormDialog
      title={mine ? `Mine among ${plural(ids.length, 'sample')}` : `Save ${plural(ids.length, 'sample')} as a slice`}
      onClose={onClose}
      sending={save}
      action={mine ? 'Save and continue' : 'Save'}
      doing="Saving…"
    >
      <TextField
        name="name"
        label="Name of the slice"
        hint={mine ? 'Mining needs a slice: this saves your selection as one.' : 'Such as blurred-corner. The grid, evaluations and mining can use it.'}
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
      {children}
    </FormDialog>
  )
}
