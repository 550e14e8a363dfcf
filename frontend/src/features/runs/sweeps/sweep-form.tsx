import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'

import { architecturesFor } from '../../../shared/api/architectures'
import { modelsList } from '../../../shared/api/lists'
import { architecturesQuery, useModel } from '../../../shared/api/queries'
import type { Architecture, NewSweep } from '../../../shared/api/types'
import { refusalFor } from '../../../shared/classes/learns-the-same'
import { amount, given } from '../../../shared/format/amount'
import { readConfig } from '../../../shared/format/read-config'
import { PickField } from '../../../shared/picking/pick-field'
import { usePicked } from '../../../shared/project-choice/picked'
import { ArchitectureField } from '../../../shared/training/architecture-field'
import { DatasetField } from '../../../shared/training/dataset-field'
import { recommendationQuery } from '../../../shared/training/queries'
import { withoutParamsIn } from '../../../shared/training/settings'
import { VersionField } from '../../../shared/training/version-field'
import { SelectField, TextField } from '../../../shared/ui/fields'
import { Form, GroupFault } from '../../../shared/ui/form'
import { later } from '../../../shared/ui/later'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { unsavedIn } from '../../../shared/ui/unsaved'
import { taskTypeOf } from '../../../tasktypes'
import { metricWords } from '../../../tasktypes/metric-words'
import { faultsOf, spaceOf, valuesField, type Searched } from './searched'

const SettingsFields = later(async () => (await import('../../../shared/training/settings-fields')).SettingsFields)

interface Draft {
  name: string
  model: string
  dataset: string
  version: string
  architecture: string
  /** JSON. */
  config: string
  searched: readonly Searched[]
  metric: string
  trials: string
  parallel: string
  sampler: 'tpe' | 'random' | 'grid'
  pruner: 'median' | 'halving' | 'none'
  startup: string
  warmup: string
  seed: string
}

const emptyDraft: Draft = {
  name: '', model: '', dataset: '', version: 'head', architecture: '', config: '',
  searched: [{ key: 1, setting: 'recipe.learning_rate', values: '0.0001..0.1 log' }],
  metric: '', trials: '20', parallel: '2', sampler: 'tpe', pruner: 'median', startup: '5', warmup: '1', seed: '0',
}

interface SweepFormProps {
  sending: { error: unknown; isPending: boolean }
  onStart: (body: NewSweep) => void
}

export function SweepForm({ sending, onStart }: SweepFormProps) {
  const [draft, setDraft] = useState(emptyDraft)
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const picked = usePicked()
  const all = useQuery(architecturesQuery).data ?? []
  const model = useModel(draft.model)
  const task = model?.task
  const architectures = architecturesFor(task, all)
  const recommended = useQuery({ ...recommendationQuery(draft.dataset), enabled: draft.dataset !== '' }).data
  const architecture = draft.architecture || recommended?.architecture
  const config = readConfig(draft.config)
  const headline = all.length === 0 || task === undefined ? null : taskTypeOf(task).judging?.headline
  const send = () =>
    onStart({
      ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
      model: draft.model,
      dataset: draft.dataset,
      version: draft.version.trim() === '' ? 'head' : draft.version.trim(),
      ...given({ architecture: draft.architecture || null }),
      config: config.config ?? {},
      space: spaceOf(draft.searched),
      ...(draft.metric === '' ? {} : { metric: draft.metric }),
      ...(draft.trials.trim() === '' ? {} : { trials: amount(draft.trials) ?? 0 }),
      parallel: amount(draft.parallel) ?? 0,
      sampler: draft.sampler,
      pruner: draft.pruner,
      startup: amount(draft.startup) ?? 0,
      warmup: amount(draft.warmup) ?? 0,
      seed: amount(draft.seed) ?? 0,
    })
  return (
    <Form
      className="panel panel-body stack wide-gap form-page"
      sending={sending}
      onSend={send}
      faults={{ ...faultsOf(draft.searched), config: config.fault }}
      action="Start the sweep"
      doing="Starting…"
      beside={
        <Link to="/sweeps" className="button">
          Cancel
        </Link>
      }
      unsaved={unsavedIn(emptyDraft, draft)}
    >
      <div className="form-columns">
        <PickField
          name="model"
          label="Model"
          hint="Each trial is a run of it."
          placeholder="choose a model"
          required
          source={(q) => modelsList(picked, { q })}
          choices={({ name }) => [{ value: name }]}
          value={draft.model}
          onChange={(model) => change({ model, architecture: '' })}
        />
        <DatasetField
          name="dataset"
          label="Dataset"
          hint="Trained on split train, judged on split val."
          refusal={(dataset) => (model ? refusalFor(model, dataset) : null)}
          required
          value={draft.dataset}
          onChange={(dataset) => change({ dataset, version: 'head' })}
        />
        <VersionField dataset={draft.dataset} value={draft.version} onChange={(version) => change({ version })} />
        <TextField name="name" label="Name" hint="Leave empty for an automatic name." maxLength={100} value={draft.name} onChange={(name) => change({ name })} />
        <ArchitectureField value={draft.architecture} onChange={(architecture) => change({ architecture, config: withoutParamsIn(draft.config) })} dataset={draft.dataset} task={task} fixed />
      </div>
      <SearchedSettings rows={draft.searched} known={knownSettings(architectures.find(({ name }) => name === architecture))} onChange={(searched) => change({ searched })} />
      <fieldset className="form-group">
        <legend>Other settings, of every trial</legend>
        <SettingsFields withoutForecast asked={{ ...draft, needs: null }} onChange={(config) => change({ config })} />
      </fieldset>
      <div className="form-columns">
        <SelectField name="sampler" label="Sampler" hint="How the next settings are chosen." value={draft.sampler} onChange={(sampler) => change({ sampler, ...(sampler === 'grid' ? { trials: '' } : {}) })}>
          <option value="tpe">TPE: learns from the trials before</option>
          <option value="random">random</option>
          <option value="grid">grid: each combination once</option>
        </SelectField>
        <TextField name="trials" label="Trials" hint={draft.sampler === 'grid' ? 'Leave empty for the whole grid.' : 'Trainings in all.'} inputMode="numeric" required={draft.sampler !== 'grid'} value={draft.trials} onChange={(trials) => change({ trials })} />
        <TextField name="parallel" label="At once" hint="As far as there are workers." inputMode="numeric" required value={draft.parallel} onChange={(parallel) => change({ parallel })} />
        <SelectField name="metric" label="Metric" hint="Measured on split val." value={draft.metric} onChange={(metric) => change({ metric })}>
          <option value="">{headline ? `${metricWords(headline)}, highest is best` : 'headline of the task, highest is best'}</option>
          <option value="loss">loss, lowest is best</option>
        </SelectField>
        <SelectField name="pruner" label="Pruning" hint="Stops trials that are not worth going on with." value={draft.pruner} onChange={(pruner) => change({ pruner })}>
          <option value="median">worse than the median of the others</option>
          <option value="halving">successive halving: one in four goes on</option>
          <option value="none">none</option>
        </SelectField>
        {draft.pruner === 'median' && <TextField name="startup" label="Trials before pruning" hint="Number of complete trials before any is pruned." inputMode="numeric" required value={draft.startup} onChange={(startup) => change({ startup })} />}
        {draft.pruner !== 'none' && <TextField name="warmup" label="Evaluations before pruning" hint="Of each trial." inputMode="numeric" required value={draft.warmup} onChange={(warmup) => change({ warmup })} />}
        <TextField name="seed" label="Seed" hint="Of the trainings and of what is drawn." inputMode="numeric" required value={draft.seed} onChange={(seed) => change({ seed })} />
      </div>
    </Form>
  )
}

interface SearchedSettingsProps {
  rows: readonly Searched[]
  known: readonly string[]
  onChange: (rows: readonly Searched[]) => void
}

function SearchedSettings({ rows, known, onChange }: SearchedSettingsProps) {
  const list = useId()
  const change = (key: number, part: Partial<Searched>) => onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  return (
    <fieldset className="form-group">
      <legend>Settings to search</legend>
      <datalist id={list}>
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div className="stack">
        {rows.map(({ key, setting, values }) => (
          <div key={key} className="searched-row">
            <TextField name={`setting.${key}`} label="Setting" hint="recipe.<field>, params.<field>, architecture or seed." list={list} className="mono" value={setting} onChange={(setting) => change(key, { setting })} />
            <TextField name={valuesField(setting, key)} label="Values" hint="0.001..0.1 log, 16..64 step 16, or adamw, sgd" className="mono" value={values} onChange={(values) => change(key, { values })} />
            <RefusableButton className="button" refusal={rows.length === 1 ? 'A sweep searches one setting at least.' : null} onClick={() => onChange(rows.filter((row) => row.key !== key))}>
              <X size={14} aria-hidden />
              Remove
              <span className="visually-hidden"> {setting || 'this setting'}</span>
            </RefusableButton>
          </div>
        ))}
        <GroupFault name="space" />
        <div className="row">
          <button type="button" className="button" onClick={() => onChange([...rows, { key: Math.max(...rows.map(({ key }) => key)) + 1, setting: '', values: '' }])}>
            <Plus size={14} aria-hidden />
            Search another setting
          </button>
        </div>
      </div>
    </fieldset>
  )
}

/** Names of settings that the architecture has. */
function knownSettings(architecture: Architecture | undefined): string[] {
  const params = Object.keys(architecture?.params_schema.properties ?? {})
  const recipe = Object.keys(architecture?.recipe ?? {}).filter((name) => name !== 'seed')
  return ['architecture', 'seed', ...recipe.map((name) => `recipe.${name}`), ...params.map((name) => `params.${name}`)]
}
