import type { Pipeline } from '../../shared/api/types'
import { count, when } from '../../shared/format/numbers'
import { Progress } from '../../shared/ui/progress'
import { shareWords } from './judging'
import { numberWords, stopWords } from './words'

/** What was spent of what may be, and when the pipeline stops by itself. */
export function BudgetPanel({ pipeline }: { pipeline: Pipeline }) {
  const { spent, budget, stopped } = pipeline
  const rules = stopWords(pipeline.stop, shareWords(pipeline))
  return (
    <section className="panel" aria-labelledby="budget">
      <div className="panel-head">
        <h2 id="budget">Budget and stopping rules</h2>
      </div>
      <div className="panel-body stack">
        <Spent name="Labels" amount={spent.labels} most={budget.labels} />
        <Spent name="Labels today" amount={spent.labels_today} most={budget.labels_per_day} />
        <Spent name="Money" amount={spent.money} most={budget.money} />
        <Spent name="Compute hours" amount={spent.compute_hours} most={budget.compute_hours} />
        {stopped && (
          <div className="stopped" role="status">
            <strong>Stopped: {stopped.rule.replaceAll('_', ' ')}</strong>
            <p>{stopped.reason}</p>
            <p className="quiet small">
              {numberWords(stopped.numbers)} · {when(stopped.at)}
            </p>
          </div>
        )}
        <p className="quiet small">{rules.length === 0 ? 'It runs until you pause it or its budget is spent.' : `It stops when ${rules.join('; or when ')}.`}</p>
      </div>
    </section>
  )
}

function Spent({ name, amount, most }: { name: string; amount: number; most: number | null | undefined }) {
  const shown = Number.isInteger(amount) ? count(amount) : amount.toFixed(2)
  return (
    <div className="spent">
      <span className="row">
        <span className="grow">{name}</span>
        <span>
          {shown}
          <span className="quiet">{most === undefined || most === null ? ' · no limit' : ` of ${count(most)}`}</span>
        </span>
      </span>
      {most !== undefined && most !== null && <Progress done={amount} total={most} label={`${name} spent`} />}
    </div>
  )
}
