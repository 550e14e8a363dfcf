import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { datasetsQuery } from '../../shared/api/queries'
import type { NewBacktest } from '../../shared/api/types'
import { percentFault } from '../../shared/format/amount'
import { count, plural } from '../../shared/format/numbers'
import { readConfig } from '../../shared/format/read-config'
import { strategiesQuery } from '../../shared/strategies/queries'
import { DatasetOptions } from '../../shared/training/dataset-options'
import { FirstOption } from '../../shared/ui/first-option'
import { Fault, Field, faultOf, FormFault, useRefusal } from '../../shared/ui/form'
import { LeaveGuard } from '../../shared/ui/leave-guard'
import { unsavedIn } from '../../shared/ui/unsaved'
import { emptyDraft, labelsAtEnd, newBacktest, type BacktestDraft } from './draft'
import { LearnerFields } from './learner-fields'

interface BacktestFormProps {
  error: unknown
  pending: boolean
  onStart: (body: NewBacktest) => void
}

const fields = ['name', 'dataset', 'version', 'learner', 'strategies', 'seeds', 'rounds', 'count', 'start', 'control', 'target']
const numbers = [
  { field: 'seeds', label: 'Paired seeds', hint: 'Each strategy starts from the same labels under the same seed.' },
  { field: 'rounds', label: 'Rounds' },
  { field: 'count', label: 'Labels in a round' },
  { field: 'start', label: 'Labels at the start' },
] as const

export function BacktestForm({ error, pending, onStart }: BacktestFormProps) {
  const { said, found, refuse } = useRefusal(error)
  const [draft, setDraft] = useState(emptyDraft)
  const change = (part: Partial<BacktestDraft>) => setDraft({ ...draft, ...part })
  const datasets = useQuery(datasetsQuery).data
  const config = readConfig(draft.config)
  const faults = {
    strategies: draft.strategies.length === 0 ? 'Choose one at least, to compare with random.' : null,
    control: percentFault(draft.controlPercent, 99),
    target: percentFault(draft.targetPercent, 100),
  }
  const sound = config.fault === null && Object.values(faults).every((fault) => fault === null)
  const end = labelsAtEnd(draft)
  return (
    <form
      className="panel panel-body stack wide-gap form-page"
      onSubmit={(event) => {
        event.preventDefault()
        if (sound) onStart(newBacktest(draft, config.config ?? {}))
        else refuse()
      }}
    >
      <div className="form-columns">
        <Field label="Dataset" hint="Its labelled training samples are the pool." fault={faultOf(said, 'dataset')}>
          {(joined) => (
            <select {...joined} className="field" required value={draft.dataset} onChange={({ target }) => change({ dataset: target.value, model: '' })}>
              <FirstOption noun="dataset" among={datasets} />
              <DatasetOptions datasets={datasets} more={({ counts }) => ` (${count(counts.labelled)} labelled)`} />
            </select>
          )}
        </Field>
        <Field label="Version" hint="A number, a tag, an alias, or head." fault={faultOf(said, 'version')}>
          {(joined) => <input {...joined} className="field" required value={draft.version} onChange={({ target }) => change({ version: target.value })} />}
        </Field>
        <Field label="Name" hint="Left empty, it is named for what it replays." fault={faultOf(said, 'name')}>
          {(joined) => <input {...joined} className="field" maxLength={100} value={draft.name} onChange={({ target }) => change({ name: target.value })} />}
        </Field>
      </div>
      <LearnerFields draft={draft} change={change} fault={faultOf(said, 'learner')} configFault={config.fault} />
      <Strategies chosen={draft.strategies} onChange={(strategies) => change({ strategies })} fault={faults.strategies ?? faultOf(said, 'strategies')} />
      <div className="form-columns">
        {numbers.map(({ field, label, ...rest }) => (
          <Field key={field} label={label} {...rest} fault={faultOf(said, field)}>
            {(joined) => <input {...joined} className="field" inputMode="numeric" required value={draft[field]} onChange={({ target }) => change({ [field]: target.value })} />}
          </Field>
        ))}
        <Field label="Picked at random, %" hint="As a pipeline's control arm would be." fault={faults.control ?? faultOf(said, 'control')}>
          {(joined) => <input {...joined} className="field" inputMode="decimal" value={draft.controlPercent} onChange={({ target }) => change({ controlPercent: target.value })} />}
        </Field>
        <Field label="Target accuracy, %" hint="Labels to reach it are compared; it may stay empty." fault={faults.target ?? faultOf(said, 'target')}>
          {(joined) => <input {...joined} className="field" inputMode="decimal" value={draft.targetPercent} onChange={({ target }) => change({ targetPercent: target.value })} />}
        </Field>
      </div>
      {end !== null && <p className="quiet">Each replay ends with {plural(end, 'label')}.</p>}
      <FormFault error={said} fields={fields} found={found} />
      <div className="row">
        <button type="submit" className="button primary" disabled={pending}>
          {pending ? 'Starting…' : 'Start the back-test'}
        </button>
        <Link to="/backtests" className="button">
          Cancel
        </Link>
      </div>
      <LeaveGuard unsaved={unsavedIn(emptyDraft, draft)} />
    </form>
  )
}

function Strategies({ chosen, onChange, fault }: { chosen: string[]; onChange: (names: string[]) => void; fault: string | null }) {
  const known = useQuery(strategiesQuery).data ?? []
  const turn = (name: string, on: boolean) => onChange(on ? [...chosen, name] : chosen.filter((other) => other !== name))
  return (
    <fieldset className="form-group">
      <legend>Strategies</legend>
      <div className="strategy-choice">
        {known.map(({ name, summary }) => (
          <label key={name} className="check">
            <input type="checkbox" checked={name === 'random' || chosen.includes(name)} disabled={name === 'random'} onChange={({ target }) => turn(name, target.checked)} />
            <span>
              {name.replaceAll('_', ' ')} <span className="quiet small">{name === 'random' ? 'always there, to compare with' : summary}</span>
            </span>
          </label>
        ))}
      </div>
      <Fault text={fault} />
    </fieldset>
  )
}
