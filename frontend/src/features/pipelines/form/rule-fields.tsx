import { Fault, faultOf, Field } from '../../../shared/ui/form'
import type { PipelineDraft } from './draft'

interface RuleFieldsProps {
  draft: PipelineDraft
  change: (part: Partial<PipelineDraft>) => void
  error: unknown
}

export function TriggerFields({ draft, change, error }: RuleFieldsProps) {
  const { trigger } = draft
  const put = (part: Partial<PipelineDraft['trigger']>) => change({ trigger: { ...trigger, ...part } })
  return (
    <fieldset className="form-group">
      <legend>When a round begins by itself</legend>
      <div className="form-columns">
        <Field label="Schedule" hint="Five fields of cron, in UTC: 0 6 * * 1-5 is 6:00 from Monday to Friday." fault={faultOf(error, 'schedule')}>
          {(joined) => <input {...joined} className="field mono" placeholder="0 6 * * 1-5" value={draft.schedule} onChange={({ target }) => change({ schedule: target.value })} />}
        </Field>
        <Amount label="New labels" hint="After so many since the last round." text={trigger.labels} onType={(labels) => put({ labels })} />
        <Amount label="New samples" hint="After so many in the pool." text={trigger.samples} onType={(samples) => put({ samples })} />
        <Amount label="Fall of production, points" hint="When its accuracy falls by so much." text={trigger.drop} onType={(drop) => put({ drop })} />
        <label className="check">
          <input type="checkbox" checked={trigger.webhook} onChange={({ target }) => put({ webhook: target.checked })} />
          <span>A webhook begins one</span>
        </label>
      </div>
      <Fault text={faultOf(error, 'trigger')} />
    </fieldset>
  )
}

export function BudgetFields({ draft, change, error }: RuleFieldsProps) {
  const { budget } = draft
  const put = (part: Partial<PipelineDraft['budget']>) => change({ budget: { ...budget, ...part } })
  return (
    <fieldset className="form-group">
      <legend>Budget</legend>
      <div className="form-columns">
        <Amount label="Labels" text={budget.labels} onType={(labels) => put({ labels })} />
        <Amount label="Labels a day" text={budget.labelsPerDay} onType={(labelsPerDay) => put({ labelsPerDay })} />
        <Amount label="Money" text={budget.money} onType={(money) => put({ money })} />
        <Amount label="Cost of a label" text={budget.costPerLabel} onType={(costPerLabel) => put({ costPerLabel })} />
        <Amount label="Compute hours" text={budget.computeHours} onType={(computeHours) => put({ computeHours })} />
      </div>
      <Fault text={faultOf(error, 'budget')} />
    </fieldset>
  )
}

export function StopFields({ draft, change, error }: RuleFieldsProps) {
  const { stop } = draft
  const put = (part: Partial<PipelineDraft['stop']>) => change({ stop: { ...stop, ...part } })
  return (
    <fieldset className="form-group">
      <legend>When it stops by itself</legend>
      <div className="form-columns">
        <Amount label="Target accuracy, %" hint="Reached for sure, on the test split." text={stop.target} onType={(target) => put({ target })} />
        <Amount label="How sure, %" text={stop.confidence} onType={(confidence) => put({ confidence })} />
        <Amount label="Worth of a point" hint="It stops when the next batch gains less than its labels cost." text={stop.perPoint} onType={(perPoint) => put({ perPoint })} />
        <Amount label="Least kappa" hint="Agreement of successive models, such as 0.99 …" text={stop.kappa} onType={(kappa) => put({ kappa })} />
        <Amount label="Rounds" hint="… for so many rounds." text={stop.rounds} onType={(rounds) => put({ rounds })} />
      </div>
      <Fault text={faultOf(error, 'stop')} />
    </fieldset>
  )
}

function Amount({ label, hint, text, onType }: { label: string; hint?: string; text: string; onType: (text: string) => void }) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(joined) => <input {...joined} className="field" inputMode="decimal" value={text} onChange={({ target }) => onType(target.value)} />}
    </Field>
  )
}
