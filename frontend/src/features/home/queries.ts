import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { keyWithin, within } from '../../shared/api/queries'
import { poll } from '../../shared/live/interval'

/** What runs or waits for a worker now. */
export function liveJobsQuery(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['jobs', 'home', 'live'], project),
    queryFn: async () => (await take(api.GET('/jobs', { params: { query: { state: 'running,queued', limit: 20, ...within(project) } } }))).results,
    refetchInterval: poll((jobs) => (jobs?.some(({ state }) => state === 'running') ? 'running' : 'queued')),
  })
}

/** What failed last. */
export function failedJobsQuery(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['jobs', 'home', 'failed'], project),
    queryFn: async () => (await take(api.GET('/jobs', { params: { query: { state: 'failed', limit: 5, ...within(project) } } }))).results,
    refetchInterval: poll(() => 'queued'),
  })
}

/** The version that serves, for how good it is. */
export function servingQuery(model: string) {
  return queryOptions({
    queryKey: ['models', model, 'version', 'production'],
    queryFn: () => take(api.GET('/models/{model}/versions/{version}', { params: { path: { model, version: 'production' } } })),
  })
}

/** Whether anything was ever mined. */
export function anyMiningQuery(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['mining', 'any'], project),
    queryFn: async () => (await take(api.GET('/mining/jobs', { params: { query: { limit: 1, ...within(project) } } }))).results.length > 0,
  })
}
