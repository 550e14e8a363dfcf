import '../../../shared/ui/form.css'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import { datasetsQuery } from '../../../shared/api/queries'
import type { Dataset, NewQueue } from '../../../shared/api/types'
import { leftOutWords } from '../../../shared/format/left-out'
import { count } from '../../../shared/format/numbers'
import { Dialog } from '../../../shared/ui/dialog'
import { DialogButtons } from '../../../shared/ui/dialog-buttons'
import { toast } from '../../../shared/ui/toast-store'
import { FirstOption } from '../../../shared/ui/first-option'
import { faultOf, Field, FormFault } from '../../../shared/ui/form'
import { emptyDraft, type Fault, faultsOf, kindsOf, newQueueOf, type QueueDraft } from './draft'
import { TermsFields } from './terms-fields'

const known = ['name', 'dataset', 'filter', 'kind', 'blind_share', 'gold_share', 'review_share', 'accept_threshold', 'skip_reasons', 'answers_per_task']

/** A queue of samples that nobody mined: those of a split, or all that are unlabelled. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const datasets = useQuery(datasetsQuery).data
  const client = useQueryClient()
  const navigate = useNavigate()
  const [draft, keepDraft] = useState<QueueDraft>(emptyDraft)
  const [faults, setFaults] = useState<Fault>({})
  const make = useMutation({
    mutationFn: (body: NewQueue) => take(api.POST('/labeling/queues', { body })),
    onSuccess: async ({ id, near_duplicates: { left_out: number } }) => {
      const leftOut = leftOutWords(number, 'sample', 'samples')
      if (leftOut !== null) toast('plain', leftOut)
      await client.invalidateQueries({ queryKey: ['queues'] })
      await navigate({ to: '/label/$queue', params: { queue: String(id) } })
    },
  })
  // What the server said was said of another body.
  const setDraft = (changed: QueueDraft) => {
    keepDraft(changed)
    make.reset()
  }
  const chosen = datasets?.find(({ name }) => name === draft.dataset)
  const kinds = kindsOf[chosen?.task ?? 'classification'] ?? ['classify']
  const choose = (name: string) => {
    const kind = kindsOf[datasets?.find((each) => each.name === name)?.task ?? '']?.[0] ?? 'classify'
    setDraft({ ...draft, dataset: name, kind })
  }
  return (
    <Dialog open onClose={onClose} title="New queue" wide>
      <form
        className="form-lines"
        onSubmit={(event) => {
          event.preventDefault()
          const found = faultsOf(draft)
          setFaults(found)
          if (Object.keys(found).length === 0) make.mutate(newQueueOf(draft))
        }}
      >
        <div className="form-columns">
          <Field label="Name" fault={faults.name ?? faultOf(make.error, 'name')}>
            {(joined) => <input {...joined} className="field" value={draft.name} onChange={({ target }) => setDraft({ ...draft, name: target.value })} />}
          </Field>
          <Field label="Dataset" fault={faults.dataset ?? faultOf(make.error, 'dataset')}>
            {(joined) => (
              <select {...joined} className="field" value={draft.dataset} onChange={({ target }) => choose(target.value)}>
                <FirstOption noun="dataset" among={datasets} />
                {datasets?.map((each) => (
                  <option key={each.id} value={each.name}>
                    {each.name} ({count(unlabelled(each))} unlabelled)
                  </option>
                ))}
              </select>
            )}
          </Field>
          <SamplesFields draft={draft} fault={faultOf(make.error, 'filter')} onChange={setDraft} />
          <Field label="Answers per image" hint="With two or more, people answer without seeing each other." fault={faults.answers ?? faultOf(make.error, 'answers_per_task')}>
            {(joined) => (
              <input {...joined} className="field" inputMode="numeric" value={draft.answers} onChange={({ target }) => setDraft({ ...draft, answers: target.value })} />
            )}
          </Field>
          <TermsFields draft={draft} kinds={kinds} faults={faults} error={make.error} onChange={setDraft} />
        </div>
        <FormFault error={make.error} fields={known} found={faults} />
        <DialogButtons pending={make.isPending} doing="Making…" onClose={onClose}>
          Make the queue
        </DialogButtons>
      </form>
    </Dialog>
  )
}

const splits: QueueDraft['split'][] = ['', 'pool', 'train', 'val', 'test']

function SamplesFields({ draft, fault, onChange }: { draft: QueueDraft; fault: string | null; onChange: (draft: QueueDraft) => void }) {
  return (
    <>
      <Field label="Split" fault={fault}>
        {(joined) => (
          <select {...joined} className="field" value={draft.split} onChange={({ target }) => onChange({ ...draft, split: target.value as QueueDraft['split'] })}>
            {splits.map((split) => (
              <option key={split} value={split}>
                {split === '' ? 'All' : split}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Which images">
        {(joined) => (
          <select
            {...joined}
            className="field"
            value={draft.unlabelled ? 'unlabelled' : 'all'}
            onChange={({ target }) => onChange({ ...draft, unlabelled: target.value === 'unlabelled' })}
          >
            <option value="unlabelled">Without a label</option>
            <option value="all">With and without a label</option>
          </select>
        )}
      </Field>
    </>
  )
}

function unlabelled({ counts }: Dataset): number {
  return counts.samples - counts.labelled
}
