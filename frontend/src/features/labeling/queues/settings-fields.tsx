import { SelectField, TextArea, TextField } from '../../../shared/ui/fields'
import { priorityWords } from '../../../shared/queues/urgency'
import { kindWords, type QueueSettingsDraft } from './draft'

interface QueueSettingsFieldsProps<D extends QueueSettingsDraft> {
  draft: D
  kinds: QueueSettingsDraft['kind'][]
  onChange: (draft: D) => void
}

/** What holds for a queue and can be changed later: fields for the columns of a form. */
export function QueueSettingsFields<D extends QueueSettingsDraft>({ draft, kinds, onChange }: QueueSettingsFieldsProps<D>) {
  const set = (part: Partial<QueueSettingsDraft>) => onChange({ ...draft, ...part })
  return (
    <>
      <SelectField name="kind" label="Labelling method" value={draft.kind} onChange={(kind) => set({ kind })}>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {kindWords[kind]}
          </option>
        ))}
      </SelectField>
      <SelectField name="priority" label="Priority" value={draft.priority} onChange={(priority) => set({ priority })}>
        {(['high', 'normal', 'low'] as const).map((priority) => (
          <option key={priority} value={priority}>
            {priorityWords[priority]}
          </option>
        ))}
      </SelectField>
      <TextField type="datetime-local" label="Due" hint="Due date shown to annotators. The queue stays open after it." name="due" value={draft.due} onChange={(due) => set({ due })} />
      <TextField label="Assigned to" hint="Names of people, with commas between. Leave empty for everybody who may label." name="assignees" value={draft.assignees} onChange={(assignees) => set({ assignees })} />
      <TextField inputMode="decimal" label="Blind tasks, %" hint="Hides the suggestion on this share of tasks, to measure its influence." name="blind_share" value={draft.blind} onChange={(blind) => set({ blind })} />
      <TextField inputMode="decimal" label="Gold tasks, %" hint="Mixes in tasks with known answers, to measure accuracy." name="gold_share" value={draft.gold} onChange={(gold) => set({ gold })} />
      <TextField inputMode="decimal" label="Checked by a reviewer, %" hint="A random share, in addition to disagreements." name="review_share" value={draft.review} onChange={(review) => set({ review })} />
      <TextField inputMode="decimal" label="Auto-accept above confidence, %" hint="Suggestions with less confidence must be checked one by one. Leave empty for no limit." name="accept_threshold" value={draft.threshold} onChange={(threshold) => set({ threshold })} />
      <TextArea name="skip_reasons" label="Reasons to skip" hint="One per line. Leave empty for the default reasons." rows={3} value={draft.reasons} onChange={(reasons) => set({ reasons })} />
    </>
  )
}
