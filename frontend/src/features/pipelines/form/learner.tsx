import { modelsList } from '../../../shared/api/lists'
import { PickField } from '../../../shared/picking/pick-field'
import { usePicked } from '../../../shared/project-choice/picked'
import { ArchitectureField } from '../../../shared/training/architecture-field'
import { withoutParamsIn } from '../../../shared/training/settings'
import type { PipelineDraft } from './draft'

interface LearnerProps {
  draft: PipelineDraft
  change: (part: Partial<PipelineDraft>) => void
  /** Of the dataset, once it is chosen. */
  task: string | undefined
}

/** What is trained: a new model of the architecture that suits the images, unless others are chosen. */
export function Learner({ draft, change, task }: LearnerProps) {
  const picked = usePicked()
  const name = draft.name.trim()
  return (
    <div className="form-columns learner">
      <PickField
        name="model"
        label="Model"
        hint="Each round adds a version to it."
        first={[{ value: '', words: name === '' ? 'a new one' : `a new one, ${name}` }]}
        source={(q) => modelsList(picked, { q, ...(draft.dataset === '' ? {} : { dataset: draft.dataset }) })}
        choices={(model) => [{ value: model.name }]}
        value={draft.model}
        onChange={(model) => change({ model })}
      />
      <ArchitectureField value={draft.architecture} onChange={(architecture) => change({ architecture, config: withoutParamsIn(draft.config) })} dataset={draft.dataset} task={task} />
    </div>
  )
}
