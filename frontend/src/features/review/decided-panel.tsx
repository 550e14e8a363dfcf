import type { LabelValue } from '../../shared/api/types'
import { valueWords } from './options'
import type { DecisionEntry } from './decisions'
import type { Review } from './types'

interface DecidedPanelProps {
  review: Review
  /** The decision while the server does not have it yet. */
  onItsWay: DecisionEntry | undefined
  onReopen: () => void
}

/** A review that has its decision: what it is, who made it and why, and the way back. */
export function DecidedPanel({ review, onItsWay, onReopen }: DecidedPanelProps) {
  const value = onItsWay ? onItsWay.value : review.decision
  const reason = onItsWay ? onItsWay.reason : review.decision_reason
  const by = onItsWay ? null : (review.decided_by?.username ?? null)
  return (
    <section className="stack decided" aria-label="Decision">
      <p>
        Decided: <strong>{valueWords(value)}</strong>
        {by !== null && ` by ${by}`}
        {onItsWay && ', on its way'}
      </p>
      {reason !== '' && <p className="quiet">“{reason}”</p>}
      <div>
        <button type="button" className="button" onClick={onReopen}>
          Reopen
        </button>
      </div>
      {review.history.map((past) => (
        <p key={past.at} className="quiet small">
          Taken back: {valueWords(past.value as LabelValue | null)} by {past.by}
          {past.reason !== '' && `, “${past.reason}”`}
        </p>
      ))}
    </section>
  )
}
