import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Bookmark, ListTodo, Pickaxe, Tag } from 'lucide-react'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { datasetQuery } from '../../../shared/api/queries'
import type { Dataset, Model, NamedSample, Outcome, Outcomes } from '../../../shared/api/types'
import type { Target } from '../../../shared/edits/edits'
import { useUndo } from '../../../shared/edits/use-undo'
import { plural } from '../../../shared/format/numbers'
import type { OutcomesSearch } from '../../../shared/routes/outcomes-search'
import { wantedState } from '../../../shared/routes/wanted-state'
import { SliceSelectionDialog } from '../../../shared/slices/slice-selection-dialog'
import { later } from '../../../shared/ui/later'
import { toast } from '../../../shared/ui/toast-store'
import { taskTypeOf } from '../../../tasktypes'
import { outcomeSamplesQuery } from './queries'
import { OutcomesQueueDialog } from './queue-dialog'
import { nameOf } from './words'

const RelabelDialog = later(async () => (await import('../../../shared/edits/relabel-dialog')).RelabelDialog)

type Action = 'slice' | 'queue' | 'mine' | 'relabel'

interface OutcomeActionsProps {
  model: Model
  version: string
  search: OutcomesSearch
  title: string
  head: Outcomes
  /** Empty: the whole list is meant. */
  selected: readonly Outcome[]
  onClear: () => void
}

/** What to do about the samples of the list, or about those that are selected. */
export function OutcomeActions({ model, version, search, title, head, selected, onClear }: OutcomeActionsProps) {
  const client = useQueryClient()
  const mayReview = useMay('review', model.project)
  const mayBuild = useMay('build', model.project)
  const navigate = useNavigate()
  const undo = useUndo({ name: head.dataset })
  const [mended, setMended] = useState(false)
  const [relabelling, setRelabelling] = useState<{ dataset: Dataset; samples: readonly NamedSample[] } | null>(null)
  const [dialog, setDialog] = useState<{ action: 'slice' | 'queue'; samples: readonly NamedSample[] } | null>(null)
  const begin = useMutation({
    mutationFn: async (action: Action) => {
      const whole = () => client.query(outcomeSamplesQuery(model.name, version, search)).then(({ samples }) => samples)
      return { action, samples: selected.length > 0 ? samplesOf(selected) : await whole() }
    },
    meta: { refused: 'The samples of the list could not be read.' },
    onSuccess: async ({ action, samples }) => {
      if (samples.length === 0) toast('warn', 'None of these samples is in the dataset any more.')
      else if (action === 'relabel') setRelabelling({ samples, dataset: await client.query(datasetQuery(head.dataset)) })
      else if (action !== 'mine') setDialog({ action, samples })
      else {
        const begun = { dataset: head.dataset, model: model.name, modelVersion: version, strategy: 'targeted' }
        await navigate({ to: '/mining/new', search: begun, state: wantedState(samples.map(({ key }) => key)) })
      }
    },
  })
  if (!mayReview) return null
  const done: typeof undo.offer = (...told) => {
    setMended(true)
    undo.offer(...told)
  }
  const shared = { dataset: head.dataset, name: nameOf(model.name, version, title), onClose: () => setDialog(null) }
  return (
    <div className="outcome-actions" role="group" aria-label="With these samples">
      <span className="grow" role="status">
        {selected.length > 0 ? `${plural(selected.length, 'entry', 'entries')} selected` : 'With all of them:'}
        {selected.length > 0 && (
          <button type="button" className="button little plain" onClick={onClear}>
            Clear
          </button>
        )}
      </span>
      <button type="button" className="button little" disabled={begin.isPending} onClick={() => begin.mutate('slice')}>
        <Bookmark size={12} aria-hidden />
        Save as a slice…
      </button>
      <button type="button" className="button little" disabled={begin.isPending} onClick={() => begin.mutate('queue')}>
        <ListTodo size={12} aria-hidden />
        Send to a queue…
      </button>
      {mayBuild && (
        <>
          <button type="button" className="button little" disabled={begin.isPending} onClick={() => begin.mutate('relabel')}>
            <Tag size={12} aria-hidden />
            {taskTypeOf(model.task).answer === 'shapes' ? 'Clear labels…' : 'Relabel…'}
          </button>
          <button type="button" className="button little" disabled={begin.isPending} onClick={() => begin.mutate('mine')}>
            <Pickaxe size={12} aria-hidden />
            Mine for more like these…
          </button>
        </>
      )}
      {mended && <p className="small quiet">The list keeps the labels that v{version} was evaluated with; the next version is judged by the new ones.</p>}
      {relabelling && (
        <RelabelDialog dataset={relabelling.dataset} target={targetOf(relabelling.samples)} onClose={() => setRelabelling(null)} onDone={done} />
      )}
      {dialog?.action === 'slice' && (
        <SliceSelectionDialog {...shared} ids={dialog.samples.map(({ id }) => id)}>
          <p className="quiet small">The samples stay in split {head.split}: a slice moves nothing, and nothing of it is trained on.</p>
        </SliceSelectionDialog>
      )}
      {dialog?.action === 'queue' && (
        <OutcomesQueueDialog {...shared} samples={dialog.samples} split={head.split} shapes={taskTypeOf(model.task).answer === 'shapes'} />
      )}
    </div>
  )
}

function targetOf(samples: readonly NamedSample[]): Target {
  const ids = samples.map(({ id }) => id)
  return { filter: { samples: ids }, count: ids.length, stamp: ids.join(' ') }
}

/** Each once; a sample may have several entries. */
function samplesOf(outcomes: readonly Outcome[]): NamedSample[] {
  const found = new Map(outcomes.flatMap(({ sample, key }) => (sample === null || key === null ? [] : [[sample, key] as const])))
  return [...found].map(([id, key]) => ({ id, key }))
}
