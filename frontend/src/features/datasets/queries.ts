import { keepPreviousData, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { SampleFilter } from '../../shared/api/types'
import { textOf } from '../../shared/filters/text'
import type { GridOrder, GridSearch } from '../../shared/routes/grid-search'
import { similarTo, type SimilarTo } from './similar/similar-to'
import { windowSize } from './windows'

/** By number or name. */
export function versionQuery(id: string, version: string) {
  return queryOptions({
    queryKey: ['datasets', id, 'versions', 'one', version],
    queryFn: () => take(api.GET('/datasets/{reference}/versions/{number}', { params: { path: { reference: id, number: version } } })),
  })
}

export interface Selection {
  dataset: string
  version: number | 'head'
  filter: SampleFilter
  /** The same as the text of a filter; empty where everything is shown. */
  shown: string
  /** Ordered by when they were added without it. */
  order: { order?: GridOrder; seed?: number }
  /** Ordered by likeness to it; null by id. */
  similar: SimilarTo | null
}

/** From which score on boxes are shown is not a filter. */
function withoutBar<Rest extends { bar?: number }>(rest: Rest): Omit<Rest, 'bar'> {
  const found = { ...rest }
  delete found.bar
  return found
}

export function selectionOf(dataset: string, search: GridSearch): Selection {
  const { v, similar, crop, by, words, encoder, order, seed, model, above, below, ...rest } = search
  const filter: SampleFilter = {
    ...withoutBar(rest),
    ...(model === undefined ? {} : { predicted_by: model }),
    ...(above === undefined ? {} : { confidence_from: above }),
    ...(below === undefined ? {} : { confidence_to: below }),
  }
  return {
    dataset,
    version: v ?? 'head',
    filter,
    shown: textOf(search),
    order: { ...(order === undefined ? {} : { order }), ...(seed === undefined ? {} : { seed }) },
    similar: similarTo({ similar, crop, by, words, encoder }),
  }
}

const mostNearDuplicates = 500

/** Samples that show nearly what a test sample shows, by key: the 500 found last. */
export function nearDuplicatesQuery(id: string) {
  return queryOptions({
    queryKey: ['datasets', id, 'near-duplicates'],
    queryFn: async () => {
      const params = { path: { reference: id }, query: { limit: mostNearDuplicates } }
      const { results } = await take(api.GET('/datasets/{reference}/near-duplicates', { params }))
      return new Map(results.map((each) => [each.key, each]))
    },
  })
}

/** Every state that a sample ever had, the oldest first. */
export function lineageQuery(id: string, key: string) {
  return queryOptions({
    queryKey: ['datasets', id, 'lineage', key],
    queryFn: () => take(api.GET('/datasets/{reference}/samples/{key}/lineage', { params: { path: { reference: id, key } } })),
  })
}

/** A numbered version never changes, so what was read of it stays good. */
function freshness(version: number | 'head') {
  return version === 'head' ? 10_000 : Infinity
}

/** Scores may come at any time. */
function changing(filter: SampleFilter): boolean {
  return filter.predicted_by !== undefined
}

export function facetsQuery({ dataset, version, filter }: Selection) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'facets', version, filter],
    queryFn: () =>
      take(api.GET('/datasets/{reference}/versions/{number}/facets', { params: { path: { reference: dataset, number: String(version) }, query: filter } })),
    staleTime: changing(filter) ? 10_000 : freshness(version),
    placeholderData: keepPreviousData,
  })
}

/** Figures of the samples of a version that pass a filter; an empty one passes all. */
export function statisticsQuery(dataset: string, version: number | 'head', filter: string) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'statistics', version, filter],
    queryFn: () =>
      take(
        api.GET('/datasets/{reference}/versions/{number}/statistics', {
          params: { path: { reference: dataset, number: String(version) }, query: filter === '' ? {} : { filter } },
        }),
      ),
    staleTime: freshness(version),
    placeholderData: keepPreviousData,
  })
}

/** A few samples of those that pass a filter, drawn at random: the same ones as long as the page is open. */
export function someSamplesQuery(dataset: string, version: number | 'head', filter: string, limit: number) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'samples', version, filter, 'some', limit],
    queryFn: () =>
      take(
        api.GET('/datasets/{reference}/versions/{number}/samples', {
          params: { path: { reference: dataset, number: String(version) }, query: { ...(filter === '' ? {} : { filter }), order: 'random', limit } },
        }),
      ),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  })
}

export function samplesQuery({ dataset, version, filter, order }: Selection, offset: number) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'samples', version, filter, order, offset],
    queryFn: () =>
      take(
        api.GET('/datasets/{reference}/versions/{number}/samples', {
          params: { path: { reference: dataset, number: String(version) }, query: { ...filter, ...order, offset, limit: windowSize } },
        }),
      ),
    staleTime: changing(filter) ? 10_000 : freshness(version),
    gcTime: 60_000,
  })
}
