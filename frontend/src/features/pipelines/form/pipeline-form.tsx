import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { slicesList } from '../../../shared/api/lists'
import { useDataset } from '../../../shared/api/queries'
import { percentFault } from '../../../shared/format/amount'
import { readConfig } from '../../../shared/format/read-config'
import { FilterInput } from '../../../shared/filters/filter-input'
import { needsOf } from '../../../shared/needs/draft'
import { aGpuEach, NeedsFields, oneGpu } from '../../../shared/needs/needs-fields'
import { CommitteeField } from '../../../shared/strategies/committee-field'
import { ComposeFields } from '../../../shared/strategies/compose-fields'
import { strategiesQuery } from '../../../shared/strategies/queries'
import { paramsRead, StrategyField } from '../../../shared/strategies/strategy-field'
import { DatasetField } from '../../../shared/training/dataset-field'
import { ForecastLine } from '../../../shared/training/forecast'
import { recommendationQuery } from '../../../shared/training/queries'
import { Check, Field, TextField } from '../../../shared/ui/fields'
import { Form } from '../../../shared/ui/form'
import { later } from '../../../shared/ui/later'
import { unsavedIn } from '../../../shared/ui/unsaved'
import { judgingOf } from '../../../tasktypes/judging'
import { metricWords } from '../../../tasktypes/metric-words'
import { strategiesFor } from '../../../tasktypes/strategies'
import { bestOf } from './best-of'
import { type GraceUnit, graceFault, type PipelineDraft, stopFaults } from './draft'
import { Learner } from './learner'
import { BudgetFields, StopFields, TriggerFields } from './rule-fields'

const SettingsFields = later(async () => (await import('../../../shared/training/settings-fields')).SettingsFields)

interface PipelineFormProps {
  first: PipelineDraft
  /** Nothing that its rounds stand on may change later. */
  existing: boolean
  sending: { error: unknown; isPending: boolean }
  onSave: (draft: PipelineDraft, config: Record<string, unknown>, params: Record<string, unknown>) => void
  /** Beside the button. */
  children?: ReactNode
}

export function PipelineForm({ first, existing, sending, onSave, children }: PipelineFormProps) {
  const [begun] = useState(first)
  const [draft, setDraft] = useState(begun)
  const change = (part: Partial<PipelineDraft>) => setDraft({ ...draft, ...part })
  const dataset = useDataset(draft.dataset)
  const strategies = strategiesFor(dataset?.task, [...(useQuery(strategiesQuery).data ?? []), bestOf])
  const read = paramsRead(draft.strategy, strategies)
  const share = metricWords(judgingOf(dataset?.task ?? '').rightShare).toLowerCase()
  const config = readConfig(draft.config)
  const asked = { dataset: draft.dataset, version: 'head', architecture: draft.architecture, config: draft.config, needs: needsOf(draft.needs.train) }
  const classes = dataset?.classes ?? []
  const advised = useQuery({ ...recommendationQuery(draft.dataset), enabled: draft.dataset !== '' }).data?.labels_per_round
  const slices = useInfiniteQuery({ ...slicesList(draft.dataset), enabled: draft.dataset !== '' }).data?.pages[0]?.results ?? []
  const faults = { config: config.fault, control: percentFault(draft.controlPercent, 99), commit_grace: graceFault(draft), ...stopFaults(draft), ...read.faults }
  return (
    <Form
      className="panel panel-body stack wide-gap form-page"
      sending={sending}
      onSend={() => onSave(draft, config.config ?? {}, read.params)}
      faults={faults}
      action={existing ? 'Save' : 'Create the pipeline'}
      doing="Saving…"
      beside={children}
      unsaved={unsavedIn(begun, draft)}
    >
      <div className="form-columns">
        {!existing && (
          <>
            <TextField name="name" label="Name" required maxLength={100} value={draft.name} onChange={(name) => change({ name })} />
            <DatasetField name="dataset" label="Dataset" hint="The pipeline trains on its labels and mines its unlabelled images." required value={draft.dataset} onChange={(dataset) => change({ dataset })} />
          </>
        )}
        <TextField
          name="count"
          label="Labels in a round"
          hint={existing || advised === undefined ? 'How many images annotators get in each round.' : `Leave empty for ${advised.count}: ${advised.reason}`}
          inputMode="numeric"
          required={existing}
          placeholder={existing || advised === undefined ? undefined : String(advised.count)}
          value={draft.count}
          onChange={(count) => change({ count })}
        />
      </div>
      {!existing && (
        <>
          <Learner draft={draft} change={change} task={dataset?.task} />
          <SettingsFields asked={asked} onChange={(config) => change({ config })} />
        </>
      )}
      <details className="fold" open={existing}>
        <summary>Advanced: training, picking, schedule, budget, machines</summary>
        <div className="stack wide-gap">
          <fieldset className="form-group">
            <legend>Training</legend>
            <Check checked={draft.warmStart} onChange={(warmStart) => change({ warmStart })}>
              Continue from the previous round’s weights <span className="quiet">instead of training from scratch each round</span>
            </Check>
          </fieldset>
          <StrategyField strategies={strategies} draft={draft.strategy} onChange={(strategy) => change({ strategy })} />
          <div className="form-columns">
            <TextField
              name="control"
              label="Picked at random, %"
              hint="The control arm, which measures what mining gains."
              inputMode="decimal"
              value={draft.controlPercent}
              onChange={(controlPercent) => change({ controlPercent })}
            />
            <TextField name="answers_per_task" label="Answers per sample" inputMode="numeric" value={draft.answersPerTask} onChange={(answersPerTask) => change({ answersPerTask })} />
          </div>
          <Field name="filter" label="Part of the pool" hint="A filter, such as meta.time = night and not slice = blurred; leave empty for the whole pool.">
            {(joined) => <FilterInput dataset={draft.dataset} value={draft.filter} onChange={(filter) => change({ filter })} joined={joined} />}
          </Field>
          <GraceField draft={draft} change={change} />
          <CommitteeField draft={draft.committee} onChange={(committee) => change({ committee })} />
          <ComposeFields draft={draft.compose} onChange={(compose) => change({ compose })} classes={classes} slices={slices.map(({ name }) => name)} />
          <TriggerFields draft={draft} share={share} change={change} />
          <BudgetFields draft={draft} change={change} />
          <StopFields draft={draft} share={share} change={change} />
          <NeedsFields legend="Training needs" name="needs.train" draft={draft.needs.train} onChange={(train) => change({ needs: { ...draft.needs, train } })} gpusHint={aGpuEach} />
          <NeedsFields legend="Scoring needs" name="needs.score" draft={draft.needs.score} onChange={(score) => change({ needs: { ...draft.needs, score } })} gpusHint={oneGpu} />
        </div>
      </details>
      {!existing && <ForecastLine asked={asked} />}
    </Form>
  )
}

interface OneFieldProps {
  draft: PipelineDraft
  change: (part: Partial<PipelineDraft>) => void
}

/** How long after the last answer a round commits. */
function GraceField({ draft: { grace }, change }: OneFieldProps) {
  return (
    <Field name="commit_grace" label="Time before the commit" hint="From the last answer of a round; until then you can take answers back. Open queues follow the change.">
      {(joined) => (
        <span className="row">
          <input {...joined} className="field grow" inputMode="decimal" value={grace.amount} onChange={({ target }) => change({ grace: { ...grace, amount: target.value } })} />
          <select className="field" aria-label="Unit of the time before the commit" value={grace.unit} onChange={({ target }) => change({ grace: { ...grace, unit: target.value as GraceUnit } })}>
            <option value="seconds">seconds</option>
            <option value="minutes">minutes</option>
          </select>
        </span>
      )}
    </Field>
  )
}
