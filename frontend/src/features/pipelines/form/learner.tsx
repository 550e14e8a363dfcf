import { useQuery } from '@tanstack/react-query'

import { architecturesFor } from '../../../shared/api/architectures'
import { architecturesQuery, modelsIn } from '../../../shared/api/queries'
import { usePicked } from '../../../shared/project-choice/picked'
import { SelectField } from '../../../shared/ui/fields'
import { recommendationQuery } from '../queries'
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
  const architectures = architecturesFor(task, useQuery(architecturesQuery).data ?? [])
  const { data: recommended, isLoading } = useQuery({ ...recommendationQuery(draft.dataset), enabled: draft.dataset !== '' })
  const name = draft.name.trim()
  return (
    <div className="form-columns learner">
      <SelectField name="model" label="Model" hint="Each round adds a version to it." value={draft.model} onChange={(model) => change({ model })}>
        <option value="">{name === '' ? 'a new one' : `a new one, ${name}`}</option>
        {models.map((model) => (
          <option key={model.name}>{model.name}</option>
        ))}
      </SelectField>
      <SelectField
        name="architecture"
        label="Architecture"
        hint={recommended?.reason ?? (isLoading ? 'Looking at its images…' : 'Choose the dataset first: the recommendation depends on its images.')}
        value={draft.architecture}
        onChange={(architecture) => change({ architecture })}
      >
        <option value="">{recommended ? `${recommended.architecture} (recommended)` : 'the recommended one'}</option>
        {architectures.map((one) => (
          <option key={one.name}>{one.name}</option>
        ))}
      </SelectField>
    </div>
  )
}
