import { queryOptions } from '@tanstack/react-query'

import { api, take } from './client'
import type { Id } from './types'

/** Reads that more than one feature needs. Keys start with the noun, so that a change can invalidate all reads of it. */

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => take(api.GET('/session')),
  staleTime: 5 * 60_000,
})

export const datasetsQuery = queryOptions({
  queryKey: ['datasets'],
  queryFn: async () => (await take(api.GET('/datasets'))).results,
})

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: async () => (await take(api.GET('/labeling/queues'))).results,
})

export const pipelinesQuery = queryOptions({
  queryKey: ['pipelines'],
  queryFn: async () => (await take(api.GET('/pipelines'))).results,
})

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async () => (await take(api.GET('/models'))).results,
})

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
