import { modelsList } from '../../shared/api/lists'
import { useDataset } from '../../shared/api/queries'
import type { Choice } from '../../shared/picking/choices'
import { PickField } from '../../shared/picking/pick-field'
import { ArchitectureField } from '../../shared/training/architecture-field'
import type { Model } from '../../shared/api/types'
import { withoutParamsIn } from '../../shared/training/settings'
import { usePicked } from '../../shared/project-choice/picked'
import { SelectField } from '../../shared/ui/fields'
import { later } from '../../shared/ui/later'
import { taskTypeOf } from '../../tasktypes'
import type { BacktestDraft } from './draft'

const SettingsFields = later(async () => (await import('../../shared/training/settings-fields')).SettingsFields)

interface LearnerFieldsProps {
  draft: BacktestDraft
  change: (part: Partial<BacktestDraft>) => void
}

/** What learns from the labels in each round: a quick probe over a model's features, or a whole training. */
export function LearnerFields({ draft, change }: LearnerFieldsProps) {
  const picked = usePicked()
  const task = useDataset(draft.dataset)?.task
  const noProbe = task !== undefined && !taskTypeOf(task).replays.includes('probe')
  return (
    <div className="stack">
      <div className="form-columns">
        <SelectField name="learner" label="Learner" hint={draft.kind === 'probe' ? 'Seconds for each round.' : 'Minutes for each round.'} value={draft.kind} onChange={(kind) => change({ kind })}>
          <option value="probe" disabled={noProbe}>
            a probe over a model&rsquo;s features{noProbe && ' (not for the labels of this dataset)'}
          </option>
          <option value="train">a whole training each time</option>
        </SelectField>
        {draft.kind === 'probe' ? (
          <PickField label="Model" placeholder="choose a trained model" required source={(q) => modelsList(picked, { q })} choices={references} value={draft.model} onChange={(model) => change({ model })} />
        ) : (
          <ArchitectureField value={draft.architecture} onChange={(architecture) => change({ architecture, config: withoutParamsIn(draft.config) })} dataset={draft.dataset} task={task} fixed />
        )}
      </div>
      {draft.kind === 'train' && <SettingsFields withoutForecast name="learner.config" asked={{ ...draft, needs: null }} onChange={(config) => change({ config })} />}
    </div>
  )
}

/** `cnn@production` and `cnn@3`: what a model may be named by here. */
function references({ name, aliases, latest }: Model): Choice<Model>[] {
  return latest === null ? [] : [...aliases.map((alias) => `${name}@${alias.name}`), `${name}@${latest}`].map((value) => ({ value }))
}
