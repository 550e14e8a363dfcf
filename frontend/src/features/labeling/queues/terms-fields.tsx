import { SelectField, TextArea, TextField } from '../../../shared/ui/fields'
import { kindWords, type TermsDraft } from './draft'

interface TermsFieldsProps<D extends TermsDraft> {
  draft: D
  kinds: TermsDraft['kind'][]
  onChange: (draft: D) => void
}

/** What holds for a queue and can be changed later: fields for the columns of a form. */
export function TermsFields<D extends TermsDraft>({ draft, kinds, onChange }: TermsFieldsProps<D>) {
  const set = (part: Partial<TermsDraft>) => onChange({ ...draft, ...part })
  return (
    <>
      <SelectField name="kind" label="Way to label" value={draft.kind} onChange={(kind) => set({ kind })}>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {kindWords[kind]}
          </option>
        ))}
      </SelectField>
      <TextField inputMode="decimal" label="Blind tasks, %" hint="Hide the suggestion, to measure how much it sways." name="blind_share" value={draft.blind} onChange={(blind) => set({ blind })} />
      <TextField inputMode="decimal" label="Gold tasks, %" hint="Known answers mixed in, to measure accuracy." name="gold_share" value={draft.gold} onChange={(gold) => set({ gold })} />
      <TextField inputMode="decimal" label="Checked by a reviewer, %" hint="A random share, besides disagreements." name="review_share" value={draft.review} onChange={(review) => set({ review })} />
      <TextField inputMode="decimal" label="Accept at once from, %" hint="Less sure suggestions need a look each. Empty: no bound." name="accept_threshold" value={draft.threshold} onChange={(threshold) => set({ threshold })} />
      <TextArea name="skip_reasons" label="Reasons to skip" hint="One a line; empty keeps the usual ones." rows={3} value={draft.reasons} onChange={(reasons) => set({ reasons })} />
    </>
  )
}
