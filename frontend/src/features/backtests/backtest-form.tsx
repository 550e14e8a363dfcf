import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useDataset } from '../../shared/api/queries'
import type { Dataset, NewBacktest, StrategyFacts } from '../../shared/api/types'
import { percentFault } from '../../shared/format/amount'
import { capital, count, plural } from '../../shared/format/numbers'
import { readConfig } from '../../shared/format/read-config'
import { strategiesQuery } from '../../shared/strategies/queries'
import { paramsRead, StrategyParams } from '../../shared/strategies/strategy-field'
import { DatasetField } from '../../shared/training/dataset-field'
import { VersionField } from '../../shared/training/version-field'
import { Check, TextField } from '../../shared/ui/fields'
import { Form, GroupFault } from '../../shared/ui/form'
import { unsavedIn } from '../../shared/ui/unsaved'
import { taskTypeOf } from '../../tasktypes'
import { strategiesFor } from '../../tasktypes/strategies'
import { emptyDraft, forTask, labelsAtEnd, newBacktest, trainings, type BacktestDraft } from './draft'
import { LearnerFields } from './learner-fields'
import { unitsFor } from './units'

interface BacktestFormProps {
  sending: { error: unknown; isPending: boolean }
  onStart: (body: NewBacktest) => void
}

const numbers = (labels: string): { field: 'seeds' | 'rounds' | 'count' | 'start'; label: string; hint?: string }[] => [
  { field: 'seeds', label: 'Paired seeds', hint: 'With the same seed, all strategies start from the same labels.' },
  { field: 'rounds', label: 'Rounds' },
  { field: 'count', label: `${capital(labels)} in a round` },
  { field: 'start', label: `${capital(labels)} at the start` },
]

export function BacktestForm({ sending, onStart }: BacktestFormProps) {
  const [draft, setDraft] = useState(emptyDraft)
  const change = (part: Partial<BacktestDraft>) => setDraft({ ...draft, ...part })
  const task = useDataset(draft.dataset)?.task
  const config = readConfig(draft.config)
  const known = useQuery(strategiesQuery).data ?? []
  const read = draft.strategies.map((name) => [name, paramsRead({ name, typed: draft.typed[name] ?? {} }, known, prefixOf(name))] as const)
  const faults = {
    ...Object.fromEntries(read.flatMap(([, { faults }]) => Object.entries(faults))),
    'learner.config': config.fault,
    strategies: draft.strategies.length === 0 ? 'Choose at least one strategy to compare with random.' : null,
    control: percentFault(draft.controlPercent, 99),
    target: percentFault(draft.targetPercent, 100),
  }
  const end = labelsAtEnd(draft)
  const units = unitsFor(task)
  const trained = trainings(draft)
  const choose = (dataset: string, row: Dataset | undefined) => change({ dataset, version: 'head', model: '', ...(row?.task === task ? {} : forTask(row?.task, draft)) })
  return (
    <Form
      className="panel panel-body stack wide-gap form-page"
      sending={sending}
      onSend={() => onStart(newBacktest(draft, config.config ?? {}, Object.fromEntries(read.map(([name, { params }]) => [name, params]))))}
      faults={faults}
      action="Start the back-test"
      doing="Starting…"
      beside={
        <Link to="/backtests" className="button">
          Cancel
        </Link>
      }
      unsaved={unsavedIn(emptyDraft, draft)}
    >
      <div className="form-columns">
        <DatasetField
          name="dataset"
          label="Dataset"
          hint="Its labelled training samples are used as the pool."
          refusal={({ task }) => (taskTypeOf(task).replays.length > 0 ? null : 'has no back-tests yet')}
          more={({ counts }) => ` (${count(counts.labelled)} labelled)`}
          required
          value={draft.dataset}
          onChange={choose}
        />
        <VersionField dataset={draft.dataset} value={draft.version} onChange={(version) => change({ version })} />
        <TextField name="name" label="Name" hint="Leave empty for an automatic name." maxLength={100} value={draft.name} onChange={(name) => change({ name })} />
      </div>
      <LearnerFields draft={draft} change={change} />
      <Strategies known={strategiesFor(task, known.filter(({ replays }) => (task === undefined ? replays.length > 0 : replays.includes(task))))} draft={draft} change={change} />
      <div className="form-columns">
        {numbers(units.labels).map(({ field, label, ...rest }) => (
          <TextField name={field} key={field} label={label} {...rest} inputMode="numeric" required value={draft[field]} onChange={(value) => change({ [field]: value })} />
        ))}
        <TextField
          name="control"
          label="Picked at random, %"
          hint="Like the control arm of a pipeline."
          inputMode="decimal"
          value={draft.controlPercent}
          onChange={(controlPercent) => change({ controlPercent })}
        />
        <TextField
          name="target"
          label={`Target ${units.figure}, %`}
          hint={`Compares the ${units.labels} each strategy needs to reach it. Optional.`}
          inputMode="decimal"
          value={draft.targetPercent}
          onChange={(targetPercent) => change({ targetPercent })}
        />
      </div>
      {end !== null && (
        <p className="quiet">
          Each replay ends with {plural(end, units.label)}.{trained !== null && ` ${plural(trained, 'model')} will be trained in all.`}
        </p>
      )}
    </Form>
  )
}

const prefixOf = (strategy: string) => `strategies.${strategy}.params.`

interface StrategiesProps {
  known: readonly StrategyFacts[]
  draft: BacktestDraft
  change: (part: Partial<BacktestDraft>) => void
}

function Strategies({ known, draft, change }: StrategiesProps) {
  const chosen = draft.strategies
  const turn = (name: string, on: boolean) => change({ strategies: on ? [...chosen, name] : chosen.filter((other) => other !== name) })
  return (
    <fieldset className="form-group">
      <legend>Strategies</legend>
      <div className="strategy-choice">
        {known.map(({ name, summary }) => (
          <Check key={name} checked={name === 'random' || chosen.includes(name)} disabled={name === 'random'} onChange={(checked) => turn(name, checked)}>
            {name.replaceAll('_', ' ')} <span className="quiet small">{name === 'random' ? 'always included, for comparison' : summary}</span>
          </Check>
        ))}
      </div>
      <GroupFault name="strategies" />
      {known
        .filter(({ name }) => chosen.includes(name))
        .map((strategy) => (
          <StrategyParams
            key={strategy.name}
            strategy={strategy}
            typed={draft.typed[strategy.name] ?? {}}
            onChange={(typed) => change({ typed: { ...draft.typed, [strategy.name]: typed } })}
            prefix={prefixOf(strategy.name)}
          />
        ))}
    </fieldset>
  )
}
