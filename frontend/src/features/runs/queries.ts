import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { ComparedRuns, Run } from '../../shared/api/types'
import { jobPace, poll } from '../../shared/live/interval'

export function runQuery(id: number) {
  return queryOptions({
    queryKey: ['runs', String(id)],
    queryFn: () => take(api.GET('/runs/{id}', { params: { path: { id } } })),
    refetchInterval: poll<Run>((run) => jobPace(run?.job.state)),
    refetchIntervalInBackground: true,
  })
}

export function snapshotsQuery(id: number, live: boolean) {
  return queryOptions({
    queryKey: ['runs', String(id), 'snapshots'],
    queryFn: async () => (await take(api.GET('/runs/{id}/snapshots', { params: { path: { id } } }))).results,
    refetchInterval: live && 10_000,
  })
}

/** Several runs side by side, looked at again while one of them goes on. */
export function comparedRunsQuery(ids: string) {
  return queryOptions({
    queryKey: ['runs', 'compare', ids],
    queryFn: () => take(api.GET('/runs/compare', { params: { query: { ids } } })),
    refetchInterval: poll<ComparedRuns>((found) => (found?.runs.some(({ job }) => jobPace(job.state) !== 'finished') ? 'queued' : 'finished')),
  })
}
