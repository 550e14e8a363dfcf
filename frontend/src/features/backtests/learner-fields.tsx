import { modelsList } from '../../shared/api/lists'
import { useDataset } from '../../shared/api/queries'
import type { Choice } from '../../shared/picking/choices'
import { PickField } from '../../shared/picking/pick-field'
import { ArchitectureField } from '../../shared/training/architecture-field'
import type { Model } from '../../shared/api/types'
import { usePicked } from '../../shared/project-choice/picked'
import { SelectField, TextArea } from '../../shared/ui/fields'
import { taskTypeOf } from '../../tasktypes'
import type { BacktestDraft } from './draft'

interface LearnerFieldsProps {
  draft: BacktestDraft
  change: (part: Partial<BacktestDraft>) => void
}

/** What learns from the labels in each round: a quick probe over a model's features, or a whole training. */
export function LearnerFields({ draft, change }: LearnerFieldsProps) {
  const picked = usePicked()
  const task = useDataset(draft.dataset)?.task
  return (
    <div className="form-columns">
      <SelectField name="learner" label="Learner" hint={draft.kind === 'probe' ? 'Seconds for each round.' : 'Minutes for each round.'} value={draft.kind} onChange={(kind) => change({ kind })}>
        <option value="probe" disabled={task !== undefined && !taskTypeOf(task).replays.includes('probe')}>a probe over a model&rsquo;s features</option>
        <option value="train">a whole training each time</option>
      </SelectField>
      {draft.kind === 'probe' ? (
        <PickField label="Model" placeholder="choose a trained model" required source={(q) => modelsList(picked, { q })} choices={references} value={draft.model} onChange={(model) => change({ model })} />
      ) : (
        <>
          <ArchitectureField value={draft.architecture} onChange={(architecture) => change({ architecture })} dataset={draft.dataset} task={task} />
          <TextArea
            name="learner.config"
            label="Training config"
            hint={'JSON, such as {"recipe": {"steps": 100}}'}
            className="mono"
            rows={2}
            value={draft.config}
            onChange={(config) => change({ config })}
          />
        </>
      )}
    </div>
  )
}

/** `cnn@production` and `cnn@3`: what a model may be named by here. */
function references({ name, aliases, latest }: Model): Choice<Model>[] {
  return latest === null ? [] : [...aliases.map((alias) => `${name}@${alias.name}`), `${name}@${latest}`].map((value) => ({ value }))
}
