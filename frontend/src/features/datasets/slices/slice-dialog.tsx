import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Slice } from '../../../shared/api/types'
import { Dialog } from '../../../shared/ui/dialog'
import { DialogButtons } from '../../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../../shared/ui/form'
import { toast } from '../../../shared/ui/toast-store'
import { parsedFilter } from './slice-filter'

interface SliceDialogProps {
  id: string
  filter: Slice['filter']
  onClose: () => void
  onSaved: (name: string) => void
}

/** A name for a filter; metadata and predictions can be added to what the grid shows. */
export default function SliceDialog({ id, filter, onClose, onSaved }: SliceDialogProps) {
  const [name, setName] = useState('')
  const [text, setText] = useState(JSON.stringify(filter, null, 2))
  const client = useQueryClient()
  const parsed = parsedFilter(text)
  const save = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/slices', { params: { path: { reference: id } }, body: { name, filter: parsed } })),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['datasets', id, 'slices'] })
      toast('plain', `The slice ${made.name} is saved`)
      onSaved(made.name)
    },
  })
  return (
    <Dialog open onClose={onClose} title="Save as a slice">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Field label="Name" hint="Such as night-cyclists." fault={faultOf(save.error, 'name')}>
          {(joined) => <input {...joined} className="field" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
        <Field
          label="Filter"
          hint='All of it must hold. More can be added, such as "meta": {"time": "night", "speed": {">": 30}}.'
          fault={parsed === null ? 'This is no JSON object; a quotation mark, comma or bracket is missing.' : faultOf(save.error, 'filter')}
        >
          {(joined) => (
            <textarea
              {...joined}
              className="field mono slice-filter"
              rows={Math.min(12, text.split('\n').length + 2)}
              spellCheck={false}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <FormFault error={save.error} fields={['name', 'filter']} />
        <DialogButtons pending={save.isPending} doing="Saving…" blocked={parsed === null || name.trim() === ''} onClose={onClose}>
          Save
        </DialogButtons>
      </form>
    </Dialog>
  )
}
