import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { EmbeddingMap } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'

interface SliceSelectionDialogProps {
  map: EmbeddingMap
  ids: readonly number[]
  /** Goes on to mine among them. */
  mine: boolean
  onClose: () => void
}

/** Keeps what was selected on the map under a name, for evaluation, mining and the next look. */
export function SliceSelectionDialog({ map, ids, mine, onClose }: SliceSelectionDialogProps) {
  const [name, setName] = useState('')
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/slices', { params: { path: { reference: map.dataset } }, body: { name, filter: { samples: [...ids] } } })),
    meta: { renews: [['datasets', map.dataset, 'slices']] },
    onSuccess: async (made) => {
      onClose()
      if (mine) await navigate({ to: '/mining/new', search: { dataset: map.dataset, slice: made.name } })
      else await navigate({ to: '/datasets/$id', params: { id: map.dataset }, search: { slice: made.name } })
    },
  })
  return (
    <FormDialog
      title={mine ? `Mine among ${plural(ids.length, 'sample')}` : `Save ${plural(ids.length, 'sample')} as a slice`}
      onClose={onClose}
      sending={save}
      action={mine ? 'Save and continue' : 'Save'}
      doing="Saving…"
      blocked={name.trim() === ''}
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
    </FormDialog>
  )
}
