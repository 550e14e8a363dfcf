import { queryOptions } from '@tanstack/react-query'

import { api, take } from './client'
import type { Id } from './types'

/** Reads that more than one feature needs. Keys start with the noun, so that a change can invalidate all reads of it. */

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => take(api.GET('/session')),
  staleTime: 5 * 60_000,
})

/** How one may sign in here, besides with a token. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => take(api.GET('/session/options')),
  staleTime: Infinity,
})

/** What a list is asked for to be of one project; of all where that is null. */
export function within(project: string | null): { project?: string } {
  return project === null ? {} : { project }
}

/** The key of a list, which is another one for each project. */
export function keyWithin(key: readonly unknown[], project: string | null): readonly unknown[] {
  return project === null ? key : [...key, { project }]
}

/** Lists are of the project that was picked; in those of all, things are looked up by their names. */

export function datasetsIn(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['datasets'], project),
    queryFn: async () => (await take(api.GET('/datasets', { params: { query: within(project) } }))).results,
  })
}

export function queuesIn(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['queues'], project),
    queryFn: async () => (await take(api.GET('/labeling/queues', { params: { query: within(project) } }))).results,
  })
}

export function pipelinesIn(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['pipelines'], project),
    queryFn: async () => (await take(api.GET('/pipelines', { params: { query: within(project) } }))).results,
  })
}

export function modelsIn(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['models'], project),
    queryFn: async () => (await take(api.GET('/models', { params: { query: within(project) } }))).results,
  })
}

export const datasetsQuery = datasetsIn(null)
export const modelsQuery = modelsIn(null)
export const pipelinesQuery = pipelinesIn(null)

export function datasetQuery(id: string) {
  return queryOptions({
    queryKey: ['datasets', id],
    queryFn: () => take(api.GET('/datasets/{reference}', { params: { path: { reference: id } } })),
  })
}

export function queueQuery(id: Id) {
  return queryOptions({
    queryKey: ['queues', String(id)],
    queryFn: () => take(api.GET('/labeling/queues/{reference}', { params: { path: { reference: String(id) } } })),
  })
}

export const architecturesQuery = queryOptions({
  queryKey: ['architectures'],
  queryFn: async () => (await take(api.GET('/architectures'))).results,
  staleTime: Infinity,
})
