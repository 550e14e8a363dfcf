import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import type { Dataset, Model } from '../../../shared/api/types'

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

/** The versions of models that answer what the dataset asks, by alias and the newest by number. */
export function predictorsOf({ project, task, classes }: Dataset, models: readonly Model[]): string[] {
  return models
    .filter((model) => model.project === project && model.task === task && model.latest !== null && model.archived === null)
    .filter((model) => model.classes.length === classes.length && model.classes.every((name, place) => name === classes[place]))
    .flatMap(({ name, latest, aliases }) => [...aliases.map((alias) => `${name}@${alias.name}`), `${name}@${latest}`])
}
