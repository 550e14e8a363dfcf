import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { datasetsQuery } from '../../../shared/api/queries'
import { slicesQuery } from '../../../shared/api/slices'
import { percentFault } from '../../../shared/format/amount'
import { readConfig } from '../../../shared/format/read-config'
import { FilterInput } from '../../../shared/filters/filter-input'
import { CommitteeField } from '../../../shared/strategies/committee-field'
import { ComposeFields } from '../../../shared/strategies/compose-fields'
import { StrategyField, useReadParams } from '../../../shared/strategies/strategy-field'
import { DatasetOptions } from '../../../shared/training/dataset-options'
import { FirstOption } from '../../../shared/ui/first-option'
import { Field, faultOf, FormFault, useRefusal } from '../../../shared/ui/form'
import { LeaveGuard } from '../../../shared/ui/leave-guard'
import { unsavedIn } from '../../../shared/ui/unsaved'
import { besides } from './best-of'
import { type GraceUnit, graceFault, type PipelineDraft } from './draft'
import { Learner } from './learner'
import { BudgetFields, StopFields, TriggerFields } from './rule-fields'

interface PipelineFormProps {
  first: PipelineDraft
  /** Nothing that its rounds stand on may change later. */
  existing: boolean
  error: unknown
  pending: boolean
  onSave: (draft: PipelineDraft, config: Record<string, unknown>, params: Record<string, unknown>) => void
  /** Beside the button. */
  children?: ReactNode
}

const bindings = ['name', 'dataset', 'model', 'architecture', 'config']
const settings = ['strategy', 'compose', 'committee', 'filter', 'commit_grace', 'count', 'control', 'answers_per_task', 'schedule', 'trigger', 'budget', 'stop']

export function PipelineForm({ first, existing, error, pending, onSave, children }: PipelineFormProps) {
  const { said, found, refuse } = useRefusal(error)
  const [begun] = useState(first)
  const [draft, setDraft] = useState(begun)
  const change = (part: Partial<PipelineDraft>) => setDraft({ ...draft, ...part })
  const read = useReadParams(draft.strategy, besides)
  const config = readConfig(draft.config)
  const classes = useQuery(datasetsQuery).data?.find(({ name }) => name === draft.dataset)?.classes ?? []
  const slices = useQuery({ ...slicesQuery(draft.dataset), enabled: draft.dataset !== '' }).data ?? []
  const controlFault = percentFault(draft.controlPercent, 99)
  const grace = graceFault(draft)
  const sound = grace === null && config.fault === null && controlFault === null && Object.keys(read.faults).length === 0
  return (
    <form
      className="panel panel-body stack wide-gap form-page"
      onSubmit={(event) => {
        event.preventDefault()
        if (sound) onSave(draft, config.config ?? {}, read.params)
        else refuse()
      }}
    >
      <div className="form-columns">
        {!existing && (
          <>
            <Field label="Name" fault={faultOf(said, 'name')}>
              {(joined) => <input {...joined} className="field" required maxLength={100} value={draft.name} onChange={({ target }) => change({ name: target.value })} />}
            </Field>
            <DatasetField draft={draft} change={change} fault={faultOf(said, 'dataset')} />
          </>
        )}
        <Field label="Labels in a round" hint="How many images it puts before annotators each time." fault={faultOf(said, 'count')}>
          {(joined) => <input {...joined} className="field" inputMode="numeric" required value={draft.count} onChange={({ target }) => change({ count: target.value })} />}
        </Field>
      </div>
      {!existing && <Learner draft={draft} change={change} error={said} />}
      <details className="fold" open={existing}>
        <summary>Advanced: training, picking, schedule, budget</summary>
        <div className="stack wide-gap">
          <fieldset className="form-group">
            <legend>Training</legend>
            {!existing && (
              <Field label="Config" hint={'JSON, such as {"recipe": {"steps": 500}}; empty for what the architecture proposes.'} fault={config.fault ?? faultOf(said, 'config')}>
                {(joined) => <textarea {...joined} className="field mono" rows={3} value={draft.config} onChange={({ target }) => change({ config: target.value })} />}
              </Field>
            )}
            <label className="check">
              <input type="checkbox" checked={draft.warmStart} onChange={({ target }) => change({ warmStart: target.checked })} />
              <span>
                Train on from the weights before <span className="quiet">instead of anew each round</span>
              </span>
            </label>
          </fieldset>
          <StrategyField besides={besides} draft={draft.strategy} onChange={(strategy) => change({ strategy })} fault={faultOf(said, 'strategy')} />
          <div className="form-columns">
            <Field label="Picked at random, %" hint="The control arm: it measures what mining gains." fault={controlFault ?? faultOf(said, 'control')}>
              {(joined) => <input {...joined} className="field" inputMode="decimal" value={draft.controlPercent} onChange={({ target }) => change({ controlPercent: target.value })} />}
            </Field>
            <Field label="Answers for each sample" fault={faultOf(said, 'answers_per_task')}>
              {(joined) => <input {...joined} className="field" inputMode="numeric" value={draft.answersPerTask} onChange={({ target }) => change({ answersPerTask: target.value })} />}
            </Field>
          </div>
          <Field label="Part of the pool" hint="A filter, such as meta.time = night and not slice = blurred; empty for the whole pool." fault={faultOf(said, 'filter')}>
            {(joined) => <FilterInput dataset={draft.dataset} value={draft.filter} onChange={(filter) => change({ filter })} joined={joined} />}
          </Field>
          <GraceField draft={draft} change={change} fault={grace ?? faultOf(said, 'commit_grace')} />
          <CommitteeField draft={draft.committee} onChange={(committee) => change({ committee })} fault={faultOf(said, 'committee')} />
          <ComposeFields draft={draft.compose} onChange={(compose) => change({ compose })} classes={classes} slices={slices.map(({ name }) => name)} fault={faultOf(said, 'compose')} />
          <TriggerFields draft={draft} change={change} error={said} />
          <BudgetFields draft={draft} change={change} error={said} />
          <StopFields draft={draft} change={change} error={said} />
        </div>
      </details>
      <FormFault error={said} fields={existing ? settings : [...bindings, ...settings]} found={found} />
      <div className="row">
        <button type="submit" className="button primary" disabled={pending}>
          {pending ? 'Saving…' : existing ? 'Save' : 'Make the pipeline'}
        </button>
        {children}
      </div>
      <LeaveGuard unsaved={unsavedIn(begun, draft)} />
    </form>
  )
}

interface OneFieldProps {
  draft: PipelineDraft
  change: (part: Partial<PipelineDraft>) => void
  fault: string | null
}

/** How long after the last answer a round commits. */
function GraceField({ draft: { grace }, change, fault }: OneFieldProps) {
  return (
    <Field label="Time before the commit" hint="From the last answer of a round; until then answers can be taken back. Queues that are open follow." fault={fault}>
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

function DatasetField({ draft, change, fault }: OneFieldProps) {
  const datasets = useQuery(datasetsQuery).data
  return (
    <Field label="Dataset" hint="What it learns from, and whose unlabelled images it mines." fault={fault}>
      {(joined) => (
        <select {...joined} className="field" required value={draft.dataset} onChange={({ target }) => change({ dataset: target.value })}>
          <FirstOption noun="dataset" among={datasets} />
          <DatasetOptions datasets={datasets} />
        </select>
      )}
    </Field>
  )
}
