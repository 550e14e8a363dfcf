import { valueWords } from './options'
import type { Entry } from './decisions'
import type { Review } from './types'

interface DecidedPanelProps {
  review: Review
  /** The decision while the server does not have it yet. */
  onItsWay: Entry | undefined
  mayReopen: boolean
  onReopen: () => void
}

/** A review that has its decision: what it is, who made it and why, and the way back. */
export function DecidedPanel({ review, onItsWay, mayReopen, onReopen }: DecidedPanelProps) {
  const { value, reason, by } = onItsWay ? { value: onItsWay.value, reason: onItsWay.reason, by: null } : (review.decision ?? { value: null, reason: '', by: null })
  return (
    <section className="stack decided" aria-label="Decision">
      <p>
        Decided: <strong>{valueWords(value)}</strong>
        {by !== null && ` by ${by}`}
        {onItsWay && ', on its way'}
      </p>
      {reason !== '' && <p className="quiet">“{reason}”</p>}
      {mayReopen && (
        <div>
          <button type="button" className="button" onClick={onReopen}>
            Reopen
          </button>
        </div>
      )}
    </section>
  )
}
