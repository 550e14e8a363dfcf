import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import { type Part, partOf } from '../../../shared/routes/grid-search'
import type { Selection } from '../queries'
import { windowSize } from '../windows'

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

/** A window of the samples by similarity; embeddings may come at any time, so nothing stays good for long. */
export function similarQuery({ dataset, version, filter }: Selection, { key, part, model }: SimilarTo, offset: number) {
  const query = { ...filter, ...part, to: key, offset, limit: windowSize, ...(model === null ? {} : { model }) }
  return queryOptions({
    queryKey: ['datasets', dataset, 'similar', version, query],
    queryFn: () =>
      take(api.GET('/datasets/{reference}/versions/{number}/similar', { params: { path: { reference: dataset, number: String(version) }, query } })),
    staleTime: 10_000,
    gcTime: 60_000,
  })
}

/** How many samples of a version have embeddings; asked again while a job computes more. */
export function embeddingsQuery(dataset: string, version: number | 'head', model: string | null) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'embeddings', version, model],
    queryFn: () =>
      take(
        api.GET('/datasets/{reference}/versions/{number}/embeddings', {
          params: { path: { reference: dataset, number: String(version) }, query: model === null ? {} : { model } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.job ? 2_000 : false),
  })
}
