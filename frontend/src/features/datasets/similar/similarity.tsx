import type { Sample, SimilarSample } from '../../../shared/api/types'

/** How alike a tile is to what was looked for: the cosine of the two embeddings. */
export function Similarity({ sample }: { sample: Sample | SimilarSample | undefined }) {
  if (!sample || !('similarity' in sample)) return null
  return (
    <span className="tile-similarity" title={`Cosine similarity ${sample.similarity}`}>
      <span className="visually-hidden">similarity </span>
      {sample.similarity.toFixed(2)}
    </span>
  )
}
