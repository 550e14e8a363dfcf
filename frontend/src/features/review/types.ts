import type { components } from '../../shared/api/schema'
import type { LabelValue, Suggestion } from '../../shared/api/types'
import type { ReviewReason } from '../../shared/routes/people-search'

export type { ReviewReason }

type Documents = components['schemas']

/** What one person said; a null value is a skip. */
export type ReviewAnswer = Omit<Documents['ReviewedAnswer'], 'value'> & { value: LabelValue | null }

/** One task on which somebody has to decide. Of its labels the length of lists is known. */
export type Review = Omit<Documents['Review'], 'answers' | 'suggestion' | 'consensus' | 'decision'> & {
  answers: ReviewAnswer[]
  suggestion: Suggestion | null
  consensus: { value: LabelValue; confidence: number | null; tied: boolean } | null
  decision: LabelValue | null
}
