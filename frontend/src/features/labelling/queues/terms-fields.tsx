import { faultOf, Field } from '../../../shared/ui/form'
import { type Fault, kindWords, type TermsDraft } from './draft'

interface TermsFieldsProps<D extends TermsDraft> {
  draft: D
  kinds: TermsDraft['kind'][]
  faults: Fault
  error: unknown
  onChange: (draft: D) => void
}

/** What holds for a queue and can be changed later: fields for the columns of a form. */
export function TermsFields<D extends TermsDraft>({ draft, kinds, faults, error, onChange }: TermsFieldsProps<D>) {
  const set = (part: Partial<TermsDraft>) => onChange({ ...draft, ...part })
  return (
    <>
      <Field label="Way to label" fault={faultOf(error, 'kind')}>
        {(joined) => (
          <select {...joined} className="field" value={draft.kind} onChange={({ target }) => set({ kind: target.value as TermsDraft['kind'] })}>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {kindWords[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Percent label="Blind tasks, %" hint="Hide the suggestion, to measure how much it sways." field="blind" server="blind_share" {...{ draft, faults, error, set }} />
      <Percent label="Gold tasks, %" hint="Known answers mixed in, to measure accuracy." field="gold" server="gold_share" {...{ draft, faults, error, set }} />
      <Percent label="Checked by a reviewer, %" hint="A random share, besides disagreements." field="review" server="review_share" {...{ draft, faults, error, set }} />
      <Percent label="Accept at once from, %" hint="Less sure suggestions need a look each. Empty: no bound." field="threshold" server="accept_threshold" {...{ draft, faults, error, set }} />
      <Field label="Reasons to skip" hint="One a line; empty keeps the usual ones." fault={faultOf(error, 'skip_reasons')}>
        {(joined) => <textarea {...joined} className="field" rows={3} value={draft.reasons} onChange={({ target }) => set({ reasons: target.value })} />}
      </Field>
    </>
  )
}

interface PercentProps {
  label: string
  hint: string
  field: 'blind' | 'gold' | 'review' | 'threshold'
  server: string
  draft: TermsDraft
  faults: Fault
  error: unknown
  set: (part: Partial<TermsDraft>) => void
}

function Percent({ label, hint, field, server, draft, faults, error, set }: PercentProps) {
  return (
    <Field label={label} hint={hint} fault={faults[field] ?? faultOf(error, server)}>
      {(joined) => (
        <input {...joined} className="field" inputMode="decimal" value={draft[field]} onChange={({ target }) => set({ [field]: target.value })} />
      )}
    </Field>
  )
}
