import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../api/client'
import { datasetsQuery } from '../api/queries'
import { plural } from '../format/numbers'
import { Dialog } from '../ui/dialog'
import { DialogButtons } from '../ui/dialog-buttons'
import { FirstOption } from '../ui/first-option'
import { Field, faultOf, FormFault } from '../ui/form'
import { DatasetOptions } from './dataset-options'

interface NewModelDialogProps {
  /** The dataset that is proposed; '' for none. */
  dataset?: string
  onMade: (name: string) => void
  onClose: () => void
}

const fields = ['name', 'classes', 'description']

/** A model is a task and an order of classes that all of its versions share: those that a dataset has now. */
export function NewModelDialog({ dataset: proposed = '', onMade, onClose }: NewModelDialogProps) {
  const datasets = useQuery(datasetsQuery).data
  const [draft, setDraft] = useState({ name: '', dataset: proposed, description: '' })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const chosen = datasets?.find(({ name }) => name === draft.dataset)
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: ({ task, classes }: NonNullable<typeof chosen>) =>
      take(api.POST('/models', { body: { name: draft.name.trim(), task, classes, description: draft.description.trim() } })),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: ['models'] })
      onClose()
      onMade(name)
    },
  })
  return (
    <Dialog open onClose={onClose} title="New model">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          // A dialog may stand within another form.
          event.stopPropagation()
          if (chosen) make.mutate(chosen)
        }}
      >
        <Field label="Name" hint="Small letters, digits, and . _ - between them." fault={faultOf(make.error, 'name')}>
          {(joined) => <input {...joined} className="field" required maxLength={100} value={draft.name} onChange={({ target }) => change({ name: target.value })} />}
        </Field>
        <Field label="Classes of" hint={chosen ? `${chosen.task} of ${plural(chosen.classes.length, 'class', 'classes')}` : 'The dataset it is to be trained on.'} fault={faultOf(make.error, 'classes')}>
          {(joined) => (
            <select {...joined} className="field" required value={draft.dataset} onChange={({ target }) => change({ dataset: target.value })}>
              <FirstOption noun="dataset" among={datasets} />
              <DatasetOptions datasets={datasets} />
            </select>
          )}
        </Field>
        <Field label="Description" fault={faultOf(make.error, 'description')}>
          {(joined) => <input {...joined} className="field" maxLength={5000} value={draft.description} onChange={({ target }) => change({ description: target.value })} />}
        </Field>
        <FormFault error={make.error} fields={fields} />
        <DialogButtons pending={make.isPending} doing="Making…" onClose={onClose}>
          Make the model
        </DialogButtons>
      </form>
    </Dialog>
  )
}
