import { SelectField, TextField } from '../ui/fields'
import { versionsFault, type CommitteeDraft } from './committee'

interface CommitteeFieldProps {
  draft: CommitteeDraft
  onChange: (draft: CommitteeDraft) => void
}

export function CommitteeField({ draft, onChange }: CommitteeFieldProps) {
  const change = (part: Partial<CommitteeDraft>) => onChange({ ...draft, ...part })
  return (
    <div className="form-columns">
      <SelectField name="committee" label="Committee" hint="Who votes when a strategy measures disagreement." value={draft.kind} onChange={(kind) => change({ kind })}>
        <option value="none">none</option>
        <option value="versions">other versions of the model</option>
        <option value="flips">the image and its mirror image</option>
        <option value="dropout">dropout masks</option>
      </SelectField>
      {draft.kind === 'versions' && (
        <TextField
          label="Versions"
          hint="Version numbers, separated by commas."
          fault={versionsFault(draft.versions)}
          placeholder="3, 4"
          value={draft.versions}
          onChange={(versions) => change({ versions })}
        />
      )}
      {draft.kind === 'dropout' && (
        <>
          <TextField label="Members" inputMode="numeric" value={draft.members} onChange={(members) => change({ members })} />
          <TextField label="Dropout rate" inputMode="decimal" value={draft.rate} onChange={(rate) => change({ rate })} />
        </>
      )}
    </div>
  )
}
