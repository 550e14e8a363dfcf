import { useQuery } from '@tanstack/react-query'

import { architecturesQuery, modelsQuery } from '../../shared/api/queries'
import type { Model } from '../../shared/api/types'
import { FirstOption } from '../../shared/ui/first-option'
import { Field } from '../../shared/ui/form'
import type { BacktestDraft } from './draft'

interface LearnerFieldsProps {
  draft: BacktestDraft
  change: (part: Partial<BacktestDraft>) => void
  fault: string | null
  configFault: string | null
}

/** What learns from the labels in each round: a quick probe over a model's features, or a whole training. */
export function LearnerFields({ draft, change, fault, configFault }: LearnerFieldsProps) {
  const models = useQuery(modelsQuery).data?.flatMap(references)
  const architectures = useQuery(architecturesQuery).data ?? []
  return (
    <div className="form-columns">
      <Field label="Learner" hint={draft.kind === 'probe' ? 'Seconds for each round.' : 'Minutes for each round.'} fault={fault}>
        {(joined) => (
          <select {...joined} className="field" value={draft.kind} onChange={({ target }) => change({ kind: target.value as BacktestDraft['kind'] })}>
            <option value="probe">a probe over a model&rsquo;s features</option>
            <option value="train">a whole training each time</option>
          </select>
        )}
      </Field>
      {draft.kind === 'probe' ? (
        <Field label="Model">
          {(joined) => (
            <select {...joined} className="field" required value={draft.model} onChange={({ target }) => change({ model: target.value })}>
              <FirstOption noun="trained model" among={models} />
              {models?.map((reference) => (
                <option key={reference}>{reference}</option>
              ))}
            </select>
          )}
        </Field>
      ) : (
        <>
          <Field label="Architecture">
            {(joined) => (
              <select {...joined} className="field" required value={draft.architecture} onChange={({ target }) => change({ architecture: target.value })}>
                {architectures.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Config of the trainings" hint={'JSON, such as {"recipe": {"steps": 100}}'} fault={configFault}>
            {(joined) => <textarea {...joined} className="field mono" rows={2} value={draft.config} onChange={({ target }) => change({ config: target.value })} />}
          </Field>
        </>
      )}
    </div>
  )
}

/** `cnn@production` and `cnn@3`: what a model may be named by here. */
function references({ name, aliases, latest }: Model): string[] {
  return latest === null ? [] : [...aliases.map((alias) => `${name}@${alias.name}`), `${name}@${latest}`]
}
