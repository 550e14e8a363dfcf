import { SelectField, TextArea } from '../../../shared/ui/fields'
import type { MiningDraft } from './draft'

interface TargetFieldsProps {
  draft: MiningDraft
  change: (part: Partial<MiningDraft>) => void
}

/** Whom the picks shall resemble, and whom not. */
export function TargetFields({ draft, change }: TargetFieldsProps) {
  const { like, unlike } = draft
  return (
    <fieldset className="form-group">
      <legend>Samples to look for</legend>
      <div className="form-columns">
        <TextArea
          name="like"
          label="Like"
          hint="Keys of samples, one a line."
          className="mono"
          rows={2}
          value={like.keys}
          onChange={(keys) => change({ like: { ...like, keys } })}
        />
        <SelectField label="Similar to the model’s mistakes" value={like.failures} onChange={(failures) => change({ like: { ...like, failures} })}>
          <option value="">no</option>
          <option value="val">in split val</option>
          <option value="test">in split test</option>
        </SelectField>
        <TextArea name="unlike" label="Unlike" hint="Keys of samples to avoid, one a line." className="mono" rows={2} value={unlike} onChange={(unlike) => change({ unlike })} />
      </div>
      <p className="quiet small">
        These samples are compared with the pool by their embeddings alone. They are not picked and not trained on, so test images may be named.
      </p>
    </fieldset>
  )
}
