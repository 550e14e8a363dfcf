import type { Id, LabelTask, LabelValue, Suggestion } from '../../shared/api/types'
import type { ReviewReason } from '../../shared/routes/people-search'

export type { ReviewReason }

export interface ReviewAnswer {
  id: number
  author: { id: number; username: string }
  /** Null is a skip. */
  value: LabelValue | null
  seconds: number
  /** Whether the annotator saw what the model says. */
  shown_suggestion: boolean
  created: string
}

export interface Decided {
  value: LabelValue | null
  reason: string
  by: string | null
}

/** One task on which somebody has to decide. */
export interface Review {
  id: number
  queue: Id
  task: number
  sample: LabelTask['sample']
  url: string
  reason: ReviewReason
  answers: ReviewAnswer[]
  suggestion: Suggestion | null
  consensus: { value: LabelValue; confidence: number | null } | null
  /** How much two answers overlap, 0..1; by the answers' ids. */
  iou: { a: number; b: number; iou: number }[]
  state: 'open' | 'done'
  decision: Decided | null
}
