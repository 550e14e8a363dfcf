import { Field, faultOf } from '../../../shared/ui/form'
import type { MiningDraft } from './draft'

interface TargetFieldsProps {
  draft: MiningDraft
  change: (part: Partial<MiningDraft>) => void
  error: unknown
}

/** Whom the picks shall resemble, and whom not. */
export function TargetFields({ draft, change, error }: TargetFieldsProps) {
  const { like, unlike } = draft
  return (
    <fieldset className="form-group">
      <legend>More like these</legend>
      <div className="form-columns">
        <Field label="Like" hint="Keys of samples, with spaces or commas between." fault={faultOf(error, 'like')}>
          {(joined) => <textarea {...joined} className="field mono" rows={2} value={like.keys} onChange={({ target }) => change({ like: { ...like, keys: target.value } })} />}
        </Field>
        <Field label="Like what the model got wrong">
          {(joined) => (
            <select {...joined} className="field" value={like.failures} onChange={({ target }) => change({ like: { ...like, failures: target.value as MiningDraft['like']['failures'] } })}>
              <option value="">no</option>
              <option value="val">in split val</option>
              <option value="test">in split test</option>
            </select>
          )}
        </Field>
        <Field label="Unlike" hint="Keys of samples that are not meant." fault={faultOf(error, 'unlike')}>
          {(joined) => <textarea {...joined} className="field mono" rows={2} value={unlike} onChange={({ target }) => change({ unlike: target.value })} />}
        </Field>
      </div>
    </fieldset>
  )
}
