import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import type { Model } from '../../../shared/api/types'
import type { Choice } from '../../../shared/picking/choices'

/** Whose predictions are shown over the tiles, and from which score on; without it the model's own thresholds hold. */
export interface Predictor {
  model: string
  bar: number | null
}

/** What a model says of some samples, by their ids; scores may come at any time. */
export function predictionsQuery(dataset: string, version: number | 'head', { model, bar }: Predictor, ids: readonly number[]) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'predictions', version, model, bar, ids],
    queryFn: async () => {
      const query = { model, ids: ids.join(','), ...(bar === null ? {} : { threshold: bar }) }
      const { results } = await take(api.GET('/datasets/{reference}/versions/{number}/predictions', { params: { path: { reference: dataset, number: String(version) }, query } }))
      return new Map(results.map((each) => [each.id, each]))
    },
    enabled: ids.length > 0,
    staleTime: 10_000,
    gcTime: 60_000,
  })
}

/** The versions of a model that may be shown over a dataset: by alias, and the newest by number. */
export function predictorsOf({ name, latest, aliases, archived }: Model): Choice<Model>[] {
  if (latest === null || archived !== null) return []
  return [...aliases.map((alias) => `${name}@${alias.name}`), `${name}@${latest}`].map((value) => ({ value }))
}
