import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { cursorOf } from '../../shared/api/pages'
import { poll } from '../../shared/live/interval'

export function modelQuery(model: string) {
  return queryOptions({
    queryKey: ['models', model],
    queryFn: () => take(api.GET('/models/{model}', { params: { path: { model } } })),
  })
}

export function modelVersionsQuery(model: string) {
  return infiniteQueryOptions({
    queryKey: ['models', model, 'versions'],
    queryFn: ({ pageParam }) =>
      take(api.GET('/models/{model}/versions', { params: { path: { model }, query: pageParam === null ? {} : { cursor: pageParam } } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}

/** The moves of a model's aliases, or of one of them, the newest first. */
export function promotionsQuery(model: string, alias: string | null = null) {
  return infiniteQueryOptions({
    queryKey: ['models', model, 'promotions', alias],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/models/{model}/promotions', {
          params: { path: { model }, query: { ...(alias === null ? {} : { alias }), ...(pageParam === null ? {} : { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}

/** Under the key of the model's versions, so that a new version or a moved alias renews it. */
export function versionLineageQuery(model: string, version: number) {
  return queryOptions({
    queryKey: ['models', model, 'version', String(version), 'lineage'],
    queryFn: () => take(api.GET('/models/{model}/versions/{version}/lineage', { params: { path: { model, version: String(version) } } })),
  })
}

/** `version` is a number or an alias. */
export function modelVersionQuery(model: string, version: string) {
  return queryOptions({
    queryKey: ['models', model, 'version', version],
    queryFn: () => take(api.GET('/models/{model}/versions/{version}', { params: { path: { model, version } } })),
    // Other precisions are proved by a job that may still run.
    refetchInterval: poll((detail) =>
      detail === undefined || detail.precisions.some(({ state }) => state === 'being_proven') ? 'queued' : 'finished',
    ),
  })
}

/** A version's file never changes, so neither do its layers. */
export function layersQuery(model: string, version: string) {
  return queryOptions({
    queryKey: ['models', model, 'version', version, 'layers'],
    queryFn: async () => (await take(api.GET('/models/{model}/versions/{version}/layers', { params: { path: { model, version } } }))).results,
    staleTime: Infinity,
  })
}

export function modelRunsQuery(model: string) {
  return queryOptions({
    queryKey: ['models', model, 'runs'],
    queryFn: async () => (await take(api.GET('/runs', { params: { query: { model } } }))).results,
  })
}

/** Of a version's predictions, which never change; it has none where they were not kept. */
export function calibrationQuery(model: string, version: string) {
  return queryOptions({
    queryKey: ['models', model, 'version', version, 'calibration'],
    queryFn: () => take(api.GET('/models/{model}/versions/{version}/calibration', { params: { path: { model, version } } })),
    staleTime: Infinity,
    retry: false,
  })
}

export function comparedVersionsQuery(model: string, a: string, b: string) {
  return queryOptions({
    queryKey: ['models', model, 'compare', a, b],
    queryFn: () => take(api.GET('/models/{model}/compare', { params: { path: { model }, query: { a, b } } })),
  })
}
