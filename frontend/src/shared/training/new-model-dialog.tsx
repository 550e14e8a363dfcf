import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../api/client'
import { useDataset } from '../api/queries'
import type { TaskName } from '../api/types'
import { plural } from '../format/numbers'
import { ProjectField, useProjectChoice } from '../project-choice/project-field'
import { TextField } from '../ui/fields'
import { FormDialog } from '../ui/form-dialog'
import { DatasetField } from './dataset-field'

interface NewModelDialogProps {
  /** The dataset that is proposed; '' for none. */
  dataset?: string
  onMade: (name: string) => void
  onClose: () => void
}

/** A model is a task and an order of classes that all of its versions share: those that a dataset has now. */
export function NewModelDialog({ dataset: proposed = '', onMade, onClose }: NewModelDialogProps) {
  const [draft, setDraft] = useState({ name: '', dataset: proposed, description: '' })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const chosen = useDataset(draft.dataset)
  const project = useProjectChoice(chosen?.project)
  const make = useMutation({
    mutationFn: ({ task, classes }: NonNullable<typeof chosen>) =>
      take(api.POST('/models', { body: { name: draft.name.trim(), task: task as TaskName, classes, description: draft.description.trim(), ...project.part } })),
    meta: { renews: [['models']] },
    onSuccess: ({ name }) => {
      onClose()
      onMade(name)
    },
  })
  return (
    <FormDialog title="New model" onClose={onClose} sending={make} onSend={() => chosen && make.mutate(chosen)} action="Create the model" doing="Creating…">
      <TextField name="name" label="Name" hint="Small letters, digits, and . _ - between them." required maxLength={100} value={draft.name} onChange={(name) => change({ name })} />
      <DatasetField
        right="read"
        name="classes"
        label="Classes from"
        hint={chosen ? `${chosen.task} of ${plural(chosen.classes.length, 'class', 'classes')}` : 'The dataset you will train it on.'}
        required
        value={draft.dataset}
        onChange={(dataset) => change({ dataset })}
      />
      <ProjectField choice={project} />
      <TextField name="description" label="Description" maxLength={5000} value={draft.description} onChange={(description) => change({ description })} />
    </FormDialog>
  )
}
