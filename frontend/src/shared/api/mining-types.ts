/**
 * What the schema leaves open, because a strategy, a constraint or an explanation says what it needs to: the shapes that
 * the pages read and write inside of it.
 */

export interface Quota {
  class?: string
  slice?: string
  source?: string
  min?: number
  max?: number
  min_share?: number
  max_share?: number
}

export type Objective =
  | { name: 'class_weight' | 'slice_weight'; weights: Record<string, number>; strength: number }
  | { name: 'uncertainty' | 'novelty' | 'typicality'; strength: number }

/** The constraints that stand over a strategy, and the objectives whose product is the score. */
export interface Compose {
  quotas?: Quota[]
  /** The least time between two picks of one drive. */
  gap?: { seconds: number; group: string; time: string }
  distance?: { cosine: number; to: ('labelled' | 'batch')[] }
  cost?: { meta: string; default: number }
  budget?: number
  source?: string
  objectives?: Objective[]
}

export type Committee = { versions: number[] } | { dropout: { members: number; rate: number; seed: number } }

/** One factor of a pick's score; the contributions of all multiply to the explanation's product. */
export interface Term {
  name: string
  value: number
  strength: number
  contribution: number
  rank: number | null
  of: number | null
}

export interface Explanation {
  terms: Term[]
  product: number | null
  /** The quota that let it in. */
  quota: (Quota & { reason?: string }) | null
  /** Who would have been picked instead. */
  displaced: { key: string; score: number | null; reason: string } | null
}

export interface Trigger {
  new_labels?: number
  new_samples?: number
  metric_drop?: { points: number }
  webhook?: boolean
}

export interface Budget {
  labels?: number
  labels_per_day?: number
  money?: number
  cost_per_label?: number
  compute_hours?: number
}

export interface Stop {
  target?: { metric: string; value: number; confidence: number }
  value?: { per_point: number }
  stable?: { kappa: number; rounds: number }
}

export interface Stopped {
  rule: string
  reason: string
  numbers: Record<string, number>
  at: string
}

export interface LastTrigger {
  what: string
  detail: string
  at: string
}

export interface Spent {
  labels: number
  labels_today: number
  money: number
  compute_hours: number
}

/** What a round measured of its own: how wrong the model was on what was mined, and on the random arm. */
export interface Control {
  mined: { n: number; wrong: number }
  control: { n: number; wrong: number }
  lift: number | null
}
