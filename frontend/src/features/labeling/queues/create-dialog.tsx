import '../../../shared/ui/form.css'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import { useDataset } from '../../../shared/api/queries'
import type { Dataset, NewQueue } from '../../../shared/api/types'
import { leftOutWords } from '../../../shared/format/left-out'
import { count, plural } from '../../../shared/format/numbers'
import { ModeField } from '../../../shared/queues/mode-field'
import { DatasetField } from '../../../shared/training/dataset-field'
import { SelectField, TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { toast } from '../../../shared/ui/toast-store'
import { taskTypeOf } from '../../../tasktypes'
import { emptyDraft, faultsOf, newQueueOf, type QueueDraft, settingsWords } from './draft'
import { QueueSettingsFields } from './settings-fields'

interface CreateDialogProps {
  /** The dataset that is proposed; '' for none. */
  dataset?: string
  onClose: () => void
}

/** A queue of samples that nobody mined: those of a split, or all that are unlabelled. What few people change is folded. */
export function CreateDialog({ dataset = '', onClose }: CreateDialogProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const proposed = useDataset(dataset)
  const [typed, setDraft] = useState<QueueDraft | null>(null)
  const draft = typed ?? (proposed ? draftFor(proposed) : emptyDraft)
  const make = useMutation({
    mutationFn: (body: NewQueue) => take(api.POST('/labeling/queues', { body })),
    onSuccess: async ({ id, passing, counts: { total }, near_duplicates: { left_out: number } }) => {
      if (passing > total) toast('plain', `${count(total)} of ${plural(passing, 'sample')} were drawn at random.`)
      const leftOut = leftOutWords(number, 'sample', 'samples')
      if (leftOut !== null) toast('plain', leftOut)
      await client.invalidateQueries({ queryKey: ['queues'] })
      await navigate({ to: '/label/$queue', params: { queue: String(id) } })
    },
  })
  const chosen = useDataset(draft.dataset)
  const { editors: kinds, answer } = taskTypeOf(chosen?.task ?? '')
  const shapes = answer === 'shapes'
  const choose = (name: string, dataset: Dataset | undefined) => {
    const [kind] = taskTypeOf(dataset?.task ?? '').editors
    setDraft({ ...draft, name: draft.name || name, dataset: name, kind, mode: 'label' })
  }
  return (
    <FormDialog title="New queue" wide onClose={onClose} className="form-lines" sending={make} onSend={() => make.mutate(newQueueOf(draft))} faults={faultsOf(draft)} action="Create the queue" doing="Creating…">
      <div className="form-columns">
        <TextField name="name" label="Name" required maxLength={100} value={draft.name} onChange={(name) => setDraft({ ...draft, name })} />
        <DatasetField right="review" any more={(each) => ` (${count(unlabelled(each))} unlabelled)`} name="dataset" label="Dataset" required value={draft.dataset} onChange={choose} />
        <SelectField label="Which images" value={draft.unlabelled ? 'unlabelled' : 'all'} onChange={(which) => setDraft({ ...draft, unlabelled: which === 'unlabelled', mode: 'label' })}>
          <option value="unlabelled">Without a label</option>
          <option value="all">With and without a label</option>
        </SelectField>
        {shapes && !draft.unlabelled && <ModeField mode={draft.mode} onChange={(mode) => setDraft({ ...draft, mode })} />}
      </div>
      <details className="fold">
        <summary>
          More settings <span className="quiet small">{settingsWords(draft)}</span>
        </summary>
        <div className="form-columns">
          <SelectField name="filter" label="Split" value={draft.split} onChange={(split) => setDraft({ ...draft, split })} options={splits} />
          <TextField name="limit" label="At most" hint="A random sample of this size. Empty: all." inputMode="numeric" value={draft.limit} onChange={(limit) => setDraft({ ...draft, limit })} />
          <TextField
            name="answers_per_task"
            label="Answers per image"
            hint="With two or more, people answer without seeing each other’s answers."
            inputMode="numeric"
            value={draft.answers}
            onChange={(answers) => setDraft({ ...draft, answers })}
          />
          <QueueSettingsFields draft={draft} kinds={kinds} onChange={setDraft} />
        </div>
      </details>
    </FormDialog>
  )
}

const splits = [['', 'All'], 'pool', 'train', 'val', 'test'] as const

/** What a queue of this dataset's unlabelled images begins with. */
function draftFor({ name, task }: Dataset): QueueDraft {
  return { ...emptyDraft, name, dataset: name, kind: taskTypeOf(task).editors[0] }
}

function unlabelled({ counts }: Dataset): number {
  return counts.samples - counts.labelled
}
