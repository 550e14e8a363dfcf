import type { Tone } from '../../shared/ui/chip'
import { type ReviewReason, reviewReasons } from '../../shared/routes/people-search'
import type { Review } from './types'

export const reasons: readonly ReviewReason[] = reviewReasons

export const reasonWords: Record<ReviewReason, string> = {
  disagreement: 'Disagreement',
  flag: 'Flagged',
  gold: 'Missed gold',
  random: 'Random check',
}

/** Why it came here, in a sentence. */
export const reasonMeans: Record<ReviewReason, string> = {
  disagreement: 'The annotators do not agree.',
  flag: 'An annotator asked for a second look.',
  gold: 'The answer differs from the known answer.',
  random: 'Picked at random to check label quality.',
}

export const reasonTones: Record<ReviewReason, Tone> = { disagreement: 'warn', flag: 'live', gold: 'bad', random: 'plain' }

export function countByReason(reviews: readonly Pick<Review, 'reason'>[]): Map<ReviewReason, number> {
  const counts = new Map<ReviewReason, number>()
  for (const { reason } of reviews) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return counts
}
