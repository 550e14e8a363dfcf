import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { poll } from '../../shared/live/interval'

/** What runs or waits for a worker now. */
export const liveJobsQuery = queryOptions({
  queryKey: ['jobs', 'home', 'live'],
  queryFn: async () => (await take(api.GET('/jobs', { params: { query: { state: 'running,queued', limit: 20 } } }))).results,
  refetchInterval: poll((jobs) => (jobs?.some(({ state }) => state === 'running') ? 'running' : 'queued')),
})

/** What failed last. */
export const failedJobsQuery = queryOptions({
  queryKey: ['jobs', 'home', 'failed'],
  queryFn: async () => (await take(api.GET('/jobs', { params: { query: { state: 'failed', limit: 5 } } }))).results,
  refetchInterval: poll(() => 'queued'),
})

/** The version that serves, for how good it is. */
export function servingQuery(model: string) {
  return queryOptions({
    queryKey: ['models', model, 'version', 'production'],
    queryFn: () => take(api.GET('/models/{model}/versions/{version}', { params: { path: { model, version: 'production' } } })),
  })
}
