import { type Part, partOf } from '../../../shared/routes/grid-search'

/** What the grid is ordered by: likeness to a sample, or to a part of it. */
export interface SimilarTo {
  key: string
  part: Part | null
  /** Whose embeddings, like `signs@production`; null for those of the backbone. */
  model: string | null
}

export function similarTo({ similar, crop, by }: { similar?: string | undefined; crop?: string | undefined; by?: string | undefined }): SimilarTo | null {
  return similar === undefined ? null : { key: similar, part: partOf(crop), model: by ?? null }
}
