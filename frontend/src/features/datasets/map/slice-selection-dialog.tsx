import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { EmbeddingMap } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { Dialog } from '../../../shared/ui/dialog'
import { DialogButtons } from '../../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../../shared/ui/form'

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
  const client = useQueryClient()
  const navigate = useNavigate()
  const save = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/slices', { params: { path: { reference: map.dataset } }, body: { name, filter: { samples: [...ids] } } })),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['datasets', map.dataset, 'slices'] })
      onClose()
      if (mine) await navigate({ to: '/mining/new', search: { dataset: map.dataset, slice: made.name } })
      else await navigate({ to: '/datasets/$id', params: { id: map.dataset }, search: { slice: made.name } })
    },
  })
  return (
    <Dialog open onClose={onClose} title={mine ? `Mine among ${plural(ids.length, 'sample')}` : `Save ${plural(ids.length, 'sample')} as a slice`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Field
          label="Name of the slice"
          hint={mine ? 'Mining looks at a slice: this selection is kept as one.' : 'Such as blurred-corner. The grid, evaluations and mining can use it.'}
          fault={faultOf(save.error, 'name')}
        >
          {(joined) => <input {...joined} className="field" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
        <FormFault error={save.error} fields={['name']} />
        <DialogButtons pending={save.isPending} doing="Saving…" blocked={name.trim() === ''} onClose={onClose}>
          {mine ? 'Save and go on' : 'Save'}
        </DialogButtons>
      </form>
    </Dialog>
  )
}
