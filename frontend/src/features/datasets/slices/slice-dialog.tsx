import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Slice } from '../../../shared/api/types'
import { FilterInput } from '../../../shared/filters/filter-input'
import { Field, TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { toast } from '../../../shared/ui/toast-store'

interface SliceDialogProps {
  id: string
  /** The slice that is edited; without it, a new one is made. */
  slice?: Slice | undefined
  /** What a new one begins with. */
  filter: string
  onClose: () => void
  /** null: the slice is deleted. */
  onSaved: (name: string | null) => void
}

/** A name for a filter: a new slice, or another name, another filter or the end of one that is there. */
export default function SliceDialog({ id, slice, filter, onClose, onSaved }: SliceDialogProps) {
  const [name, setName] = useState(slice?.name ?? '')
  const [text, setText] = useState(slice?.text ?? filter)
  const [ending, setEnding] = useState(false)
  const client = useQueryClient()
  const done = async (words: string, kept: string | null) => {
    // What is shown of the slice is read again where its name stays; a name that is gone would be asked for in vain.
    await client.invalidateQueries({ queryKey: ['datasets', id], refetchType: kept === slice?.name ? 'active' : 'none' })
    await client.refetchQueries({ queryKey: ['datasets', id, 'slices'] })
    toast('plain', words)
    onSaved(kept)
  }
  const save = useMutation({
    mutationFn: () =>
      slice === undefined
        ? take(api.POST('/datasets/{reference}/slices', { params: { path: { reference: id } }, body: { name, filter: text } }))
        : take(api.PUT('/datasets/{reference}/slices/{name}', { params: { path: { reference: id, name: slice.name } }, body: { name, filter: text } })),
    onSuccess: (made) => done(`The slice ${made.name} is saved`, made.name),
  })
  const remove = useMutation({
    mutationFn: (gone: string) => take(api.DELETE('/datasets/{reference}/slices/{name}', { params: { path: { reference: id, name: gone } } })),
    onSuccess: (_, gone) => done(`The slice ${gone} is deleted`, null),
  })
  if (slice !== undefined && ending) {
    return (
      <FormDialog
        title={`Delete the slice ${slice.name}?`}
        onClose={() => setEnding(false)}
        cancel="Keep it"
        sending={remove}
        onSend={() => remove.mutate(slice.name)}
        action="Delete this slice"
        doing="Deleting…"
      >
        <p>Its samples stay. Its filter is gone, and new model versions are no longer evaluated on it.</p>
      </FormDialog>
    )
  }
  return (
    <FormDialog
      title={slice === undefined ? 'Save as a slice' : `Edit the slice ${slice.name}`}
      onClose={onClose}
      sending={save}
      action="Save"
      doing="Saving…"
      refusal={text.trim() === '' ? 'Type a filter: the slice is what it finds.' : null}
      beside={
        slice !== undefined && (
          <button type="button" className="button danger" onClick={() => setEnding(true)}>
            Delete…
          </button>
        )
      }
    >
      <TextField name="name" label="Name" hint="Such as night-cyclists." required maxLength={100} value={name} onChange={setName} />
      <Field name="filter" label="Filter" hint="Such as split = test and meta.time = night. New model versions are evaluated on it.">
        {(joined) => <FilterInput dataset={id} value={text} onChange={setText} joined={joined} />}
      </Field>
    </FormDialog>
  )
}
