import { useQuery } from '@tanstack/react-query'

import { modelsIn } from '../../../shared/api/queries'
import { usePicked } from '../../../shared/project-choice/picked'
import { ArchitectureField } from '../../../shared/training/architecture-field'
import { SelectField } from '../../../shared/ui/fields'
import type { PipelineDraft } from './draft'

interface LearnerProps {
  draft: PipelineDraft
  change: (part: Partial<PipelineDraft>) => void
  /** Of the dataset, once it is chosen. */
  task: string | undefined
}

/** What is trained: a new model of the architecture that suits the images, unless others are chosen. */
export function Learner({ draft, change, task }: LearnerProps) {
  const models = (useQuery(modelsIn(usePicked())).data ?? []).filter((model) => task === undefined || model.task === task)
  const name = draft.name.trim()
  return (
    <div className="form-columns learner">
      <SelectField name="model" label="Model" hint="Each round adds a version to it." value={draft.model} onChange={(model) => change({ model })}>
        <option value="">{name === '' ? 'a new one' : `a new one, ${name}`}</option>
        {models.map((model) => (
          <option key={model.name}>{model.name}</option>
        ))}
      </SelectField>
      <ArchitectureField value={draft.architecture} onChange={(architecture) => change({ architecture })} dataset={draft.dataset} task={task} />
    </div>
  )
}
