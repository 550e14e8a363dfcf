import { useQuery } from '@tanstack/react-query'

import { architecturesQuery, modelsQuery } from '../../../shared/api/queries'
import { Field, faultOf } from '../../../shared/ui/form'
import { recommendationQuery } from '../queries'
import type { PipelineDraft } from './draft'

interface LearnerProps {
  draft: PipelineDraft
  change: (part: Partial<PipelineDraft>) => void
  error: unknown
}

/** What is trained: a new model of the architecture that suits the images, unless others are chosen. */
export function Learner({ draft, change, error }: LearnerProps) {
  const models = useQuery(modelsQuery).data ?? []
  const architectures = useQuery(architecturesQuery).data ?? []
  const recommended = useQuery({ ...recommendationQuery(draft.dataset), enabled: draft.dataset !== '' }).data
  const name = draft.name.trim()
  return (
    <div className="form-columns">
      <Field label="Model" hint="It gets a new version each round." fault={faultOf(error, 'model')}>
        {(joined) => (
          <select {...joined} className="field" value={draft.model} onChange={({ target }) => change({ model: target.value })}>
            <option value="">{name === '' ? 'a new one' : `a new one, ${name}`}</option>
            {models.map((model) => (
              <option key={model.name}>{model.name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Architecture" hint={recommended?.reason ?? 'Choose the dataset first: its images decide.'} fault={faultOf(error, 'architecture')}>
        {(joined) => (
          <select {...joined} className="field" value={draft.architecture} onChange={({ target }) => change({ architecture: target.value })}>
            <option value="">{recommended ? `${recommended.architecture} (recommended)` : 'the one that suits the images'}</option>
            {architectures.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}
