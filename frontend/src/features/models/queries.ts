import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { Promotion, Run } from '../../shared/api/types'
import { listOptions } from '../../shared/lists/pages'
import { poll } from '../../shared/live/interval'


/** The moves of a model's aliases, or of one of them, the newest first. */
export function promotionsList(model: string, alias: string | null = null) {
  return listOptions<Promotion>({
    queryKey: ['models', model, 'promotions', alias],
    read: (at) => take(api.GET('/models/{model}/promotions', { params: { path: { model }, query: { ...(alias === null ? {} : { alias }), ...at } } })),
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

export function modelRunsList(model: string) {
  return listOptions<Run>({ queryKey: ['models', model, 'runs'], read: (at) => take(api.GET('/runs', { params: { query: { model, ...at } } })) })
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
