import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { architecturesQuery, datasetsQuery, modelsQuery } from '../../../shared/api/queries'
import { slicesQuery } from '../../../shared/api/slices'
import { percentFault } from '../../../shared/format/amount'
import { readConfig } from '../../../shared/format/read-config'
import { CommitteeField } from '../../../shared/strategies/committee-field'
import { ComposeFields } from '../../../shared/strategies/compose-fields'
import { StrategyField, useReadParams } from '../../../shared/strategies/strategy-field'
import { NewModelDialog } from '../../../shared/training/new-model-dialog'
import { Field, faultOf, FormFault, useRefusal } from '../../../shared/ui/form'
import { LeaveGuard } from '../../../shared/ui/leave-guard'
import { unsavedIn } from '../../../shared/ui/unsaved'
import { besides } from './best-of'
import type { PipelineDraft } from './draft'
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
const settings = ['strategy', 'compose', 'committee', 'count', 'control', 'answers_per_task', 'schedule', 'trigger', 'budget', 'stop']

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
  const sound = config.fault === null && controlFault === null && Object.keys(read.faults).length === 0
  return (
    <form
      className="panel panel-body stack wide-gap form-page"
      onSubmit={(event) => {
        event.preventDefault()
        if (sound) onSave(draft, config.config ?? {}, read.params)
        else refuse()
      }}
    >
      {!existing && <Bindings draft={draft} change={change} error={said} configFault={config.fault} />}
      <div className="form-columns">
        <Field label="Labels asked for in a round" fault={faultOf(said, 'count')}>
          {(joined) => <input {...joined} className="field" inputMode="numeric" required value={draft.count} onChange={({ target }) => change({ count: target.value })} />}
        </Field>
        <Field label="Picked at random, %" hint="The control arm: it measures what mining gains." fault={controlFault ?? faultOf(said, 'control')}>
          {(joined) => <input {...joined} className="field" inputMode="decimal" value={draft.controlPercent} onChange={({ target }) => change({ controlPercent: target.value })} />}
        </Field>
        <Field label="Answers for each sample" fault={faultOf(said, 'answers_per_task')}>
          {(joined) => <input {...joined} className="field" inputMode="numeric" value={draft.answersPerTask} onChange={({ target }) => change({ answersPerTask: target.value })} />}
        </Field>
      </div>
      <StrategyField besides={besides} draft={draft.strategy} onChange={(strategy) => change({ strategy })} fault={faultOf(said, 'strategy')} />
      <CommitteeField draft={draft.committee} onChange={(committee) => change({ committee })} fault={faultOf(said, 'committee')} />
      <ComposeFields draft={draft.compose} onChange={(compose) => change({ compose })} classes={classes} slices={slices.map(({ name }) => name)} fault={faultOf(said, 'compose')} />
      <label className="check">
        <input type="checkbox" checked={draft.warmStart} onChange={({ target }) => change({ warmStart: target.checked })} />
        <span>
          Train on from the weights before <span className="quiet">instead of from scratch</span>
        </span>
      </label>
      <TriggerFields draft={draft} change={change} error={said} />
      <BudgetFields draft={draft} change={change} error={said} />
      <StopFields draft={draft} change={change} error={said} />
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

interface BindingsProps {
  draft: PipelineDraft
  change: (part: Partial<PipelineDraft>) => void
  error: unknown
  configFault: string | null
}

function Bindings({ draft, change, error, configFault }: BindingsProps) {
  const datasets = useQuery(datasetsQuery).data ?? []
  const models = useQuery(modelsQuery).data ?? []
  const architectures = useQuery(architecturesQuery).data ?? []
  const [making, setMaking] = useState(false)
  return (
    <>
      <div className="form-columns">
        <Field label="Name" fault={faultOf(error, 'name')}>
          {(joined) => <input {...joined} className="field" required maxLength={100} value={draft.name} onChange={({ target }) => change({ name: target.value })} />}
        </Field>
        <Select label="Dataset" value={draft.dataset} names={datasets.map(({ name }) => name)} fault={faultOf(error, 'dataset')} onChoose={(dataset) => change({ dataset })} />
        <Select label="Model" value={draft.model} names={models.map(({ name }) => name)} fault={faultOf(error, 'model')} onChoose={(model) => change({ model })}>
          <button type="button" className="button" onClick={() => setMaking(true)}>
            New model…
          </button>
        </Select>
        <Select label="Architecture" value={draft.architecture} names={architectures.map(({ name }) => name)} fault={faultOf(error, 'architecture')} onChoose={(architecture) => change({ architecture })} />
      </div>
      <Field label="Config of the trainings" hint={'JSON, such as {"recipe": {"steps": 500}}'} fault={configFault ?? faultOf(error, 'config')}>
        {(joined) => <textarea {...joined} className="field mono" rows={3} value={draft.config} onChange={({ target }) => change({ config: target.value })} />}
      </Field>
      {making && <NewModelDialog dataset={draft.dataset} onClose={() => setMaking(false)} onMade={(model) => change({ model })} />}
    </>
  )
}

interface SelectProps {
  label: string
  value: string
  names: string[]
  fault: string | null
  onChoose: (name: string) => void
  /** Beside the choice. */
  children?: ReactNode
}

function Select({ label, value, names, fault, onChoose, children }: SelectProps) {
  return (
    <Field label={label} fault={fault}>
      {(joined) => (
        <div className="row">
          <select {...joined} className="field grow" required value={value} onChange={({ target }) => onChoose(target.value)}>
            {!names.includes(value) && <option value={value}>{value === '' ? 'choose one' : value}</option>}
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          {children}
        </div>
      )}
    </Field>
  )
}
