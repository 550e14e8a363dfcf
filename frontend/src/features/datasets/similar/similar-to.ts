import { type Part, partOf } from '../../../shared/routes/grid-search'

interface LikeSample {
  key: string
  part: Part | null
  words: null
  /** Whose embeddings, like `signs@production`; null for those of an encoder or of the backbone. */
  model: string | null
  encoder: string | null
}

interface LikeWords {
  words: string
  model: null
  /** By which encoder they are read; null where they are compared with ImageNet's names. */
  encoder: string | null
}

/** What the grid is ordered by: likeness to a sample, to a part of it, or to words. */
export type SimilarTo = LikeSample | LikeWords

type Asked = Partial<Record<'similar' | 'crop' | 'by' | 'words' | 'encoder', string | undefined>>

export function similarTo({ similar, crop, by, words, encoder }: Asked): SimilarTo | null {
  if (similar !== undefined) return { key: similar, part: partOf(crop), words: null, model: by ?? null, encoder: encoder ?? null }
  return words === undefined ? null : { words, model: null, encoder: encoder ?? null }
}
