import { count } from '../../shared/format/numbers'
import { countByReason, reasons, reasonWords } from './reasons'
import type { Review, ReviewReason } from './types'

interface ReasonFilterProps {
  reviews: readonly Review[]
  chosen: ReviewReason | undefined
  onChoose: (reason: ReviewReason | undefined) => void
}

/** One button for each reason that there is, with how many have it. */
export function ReasonFilter({ reviews, chosen, onChoose }: ReasonFilterProps) {
  const counts = countByReason(reviews)
  return (
    <div className="row wrap" role="group" aria-label="Reason">
      <button type="button" className="button little" aria-pressed={chosen === undefined} onClick={() => onChoose(undefined)}>
        All {count(reviews.length)}
      </button>
      {reasons
        .filter((reason) => counts.has(reason) || reason === chosen)
        .map((reason) => (
          <button key={reason} type="button" className="button little" aria-pressed={chosen === reason} onClick={() => onChoose(reason)}>
            {reasonWords[reason]} {count(counts.get(reason) ?? 0)}
          </button>
        ))}
    </div>
  )
}
