import { TextField } from '../../../shared/ui/fields'
import { GroupFault } from '../../../shared/ui/form'
import type { PipelineDraft } from './draft'

interface RuleFieldsProps {
  draft: PipelineDraft
  /** The figure that a drop and a target are of. */
  share: string
  change: (part: Partial<PipelineDraft>) => void
}

export function TriggerFields({ draft, share, change }: RuleFieldsProps) {
  const { trigger } = draft
  const put = (part: Partial<PipelineDraft['trigger']>) => change({ trigger: { ...trigger, ...part } })
  return (
    <fieldset className="form-group">
      <legend>Start rounds automatically</legend>
      <div className="form-columns">
        <TextField
          name="schedule"
          label="Schedule"
          hint="Five fields of cron, in UTC: 0 6 * * 1-5 is 6:00 from Monday to Friday."
          className="mono"
          placeholder="0 6 * * 1-5"
          value={draft.schedule}
          onChange={(schedule) => change({ schedule })}
        />
        <Amount name="trigger.new_labels" label="New labels" hint="Starts after this many since the last round." text={trigger.labels} onType={(labels) => put({ labels })} />
        <Amount name="trigger.new_samples" label="New samples" hint="Starts after this many in the pool." text={trigger.samples} onType={(samples) => put({ samples })} />
        <Amount name="trigger.metric_drop" label={`Drop in production ${share} (points)`} hint={`Starts when its ${share} drops by this much.`} text={trigger.drop} onType={(drop) => put({ drop })} />
        <label className="check">
          <input type="checkbox" checked={trigger.webhook} onChange={({ target }) => put({ webhook: target.checked })} />
          <span>Start a round by webhook</span>
        </label>
      </div>
      <GroupFault name="trigger" />
    </fieldset>
  )
}

export function BudgetFields({ draft, change }: Omit<RuleFieldsProps, 'share'>) {
  const { budget } = draft
  const put = (part: Partial<PipelineDraft['budget']>) => change({ budget: { ...budget, ...part } })
  return (
    <fieldset className="form-group">
      <legend>Budget</legend>
      <div className="form-columns">
        <Amount name="budget.labels" label="Labels" text={budget.labels} onType={(labels) => put({ labels })} />
        <Amount name="budget.labels_per_day" label="Labels a day" text={budget.labelsPerDay} onType={(labelsPerDay) => put({ labelsPerDay })} />
        <Amount name="budget.money" label="Money" text={budget.money} onType={(money) => put({ money })} />
        <Amount name="budget.cost_per_label" label="Cost of a label" text={budget.costPerLabel} onType={(costPerLabel) => put({ costPerLabel })} />
        <Amount name="budget.compute_hours" label="Compute hours" text={budget.computeHours} onType={(computeHours) => put({ computeHours })} />
      </div>
      <GroupFault name="budget" />
    </fieldset>
  )
}

export function StopFields({ draft, share, change }: RuleFieldsProps) {
  const { stop } = draft
  const put = (part: Partial<PipelineDraft['stop']>) => change({ stop: { ...stop, ...part } })
  return (
    <fieldset className="form-group">
      <legend>Stop automatically</legend>
      <div className="form-columns">
        <Amount name="stop.target.value" label={`Target ${share}, %`} hint="On the test split, with the confidence below." text={stop.target} onType={(target) => put({ target })} />
        <Amount name="stop.target.confidence" label="Confidence, %" text={stop.confidence} onType={(confidence) => put({ confidence })} />
        <Amount name="stop.value" label="Value of one point" hint="Stops when the next batch gains less than its labels cost." text={stop.perPoint} onType={(perPoint) => put({ perPoint })} />
        <Amount name="stop.stable.kappa" label="Minimum kappa" hint="Agreement of successive models, such as 0.99 …" text={stop.kappa} onType={(kappa) => put({ kappa })} />
        <Amount name="stop.stable.rounds" label="Rounds" hint="… for this many rounds." text={stop.rounds} onType={(rounds) => put({ rounds })} />
      </div>
      <GroupFault name="stop" />
    </fieldset>
  )
}

function Amount({ text, onType, ...rest }: { name: string; label: string; hint?: string; text: string; onType: (text: string) => void }) {
  return <TextField inputMode="decimal" {...rest} value={text} onChange={onType} />
}
