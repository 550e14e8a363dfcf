import { Field } from '../ui/form'
import type { CommitteeDraft } from './committee'

interface CommitteeFieldProps {
  draft: CommitteeDraft
  onChange: (draft: CommitteeDraft) => void
  fault: string | null
}

export function CommitteeField({ draft, onChange, fault }: CommitteeFieldProps) {
  const change = (part: Partial<CommitteeDraft>) => onChange({ ...draft, ...part })
  return (
    <div className="form-columns">
      <Field label="Committee" hint="Who votes where a strategy looks at disagreement." fault={fault}>
        {(joined) => (
          <select {...joined} className="field" value={draft.kind} onChange={({ target }) => change({ kind: target.value as CommitteeDraft['kind'] })}>
            <option value="none">none</option>
            <option value="versions">other versions of the model</option>
            <option value="dropout">dropout masks</option>
          </select>
        )}
      </Field>
      {draft.kind === 'versions' && (
        <Field label="Versions" hint="Their numbers, with commas between.">
          {(joined) => <input {...joined} className="field" placeholder="3, 4" value={draft.versions} onChange={({ target }) => change({ versions: target.value })} />}
        </Field>
      )}
      {draft.kind === 'dropout' && (
        <>
          <Field label="Members">
            {(joined) => <input {...joined} className="field" inputMode="numeric" value={draft.members} onChange={({ target }) => change({ members: target.value })} />}
          </Field>
          <Field label="Dropout rate">
            {(joined) => <input {...joined} className="field" inputMode="decimal" value={draft.rate} onChange={({ target }) => change({ rate: target.value })} />}
          </Field>
        </>
      )}
    </div>
  )
}
