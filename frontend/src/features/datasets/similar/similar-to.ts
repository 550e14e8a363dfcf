import { type Part, partOf } from '../../../shared/routes/grid-search'

interface LikeSample {
  key: string
  part: Part | null
  words: null
  /** Whose embeddings, like `signs@production`; null for those of the backbone. */
  model: string | null
}

interface LikeWords {
  words: string
  model: null
}

/** What the grid is ordered by: likeness to a sample, to a part of it, or to words. */
export type SimilarTo = LikeSample | LikeWords

export function similarTo({ similar, crop, by, words }: Partial<Record<'similar' | 'crop' | 'by' | 'words', string | undefined>>): SimilarTo | null {
  if (similar !== undefined) return { key: similar, part: partOf(crop), words: null, model: by ?? null }
  return words === undefined ? null : { words, model: null }
}
