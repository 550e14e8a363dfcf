/**
 * What the schema leaves open, because constraints and committees are told as the library reads them: the shapes that the
 * pages read and write inside of it. They are types, not interfaces, so that they are assignable to what is open.
 */

/** What the schema says of them. */
export type OpenSettings = Record<string, unknown> | null

export type Quota = {
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
export type Compose = {
  quotas?: Quota[]
  /** The least time between two picks of one drive. */
  gap?: { seconds: number; group: string; time: string }
  distance?: { cosine: number; to: ('labelled' | 'batch')[] }
  cost?: { meta: string; default: number }
  budget?: number
  source?: string
  objectives?: Objective[]
}

export type Committee = { versions: number[] } | { flips: true } | { dropout: { members: number; rate: number; seed: number } }

/** What a strategy was fitted on: `images` of the `labelled` ones of a split, and what the model said of them. */
export type Evidence = { split: string; labelled: number; images: number; objects: number; right: number; classes_alone: string[] }

/** What a strategy that compares objects looked at: `objects` of `images`, of which `scored` were shown to the model for this job. */
export type ObjectsLooked = { images: number; objects: number; scored: number; seconds: number; unreadable: number }
