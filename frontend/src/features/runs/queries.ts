import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { keyWithin, within } from '../../shared/api/queries'
import type { ComparedRuns, Run, RunTable, Snapshot } from '../../shared/api/types'
import { listOptions } from '../../shared/lists/pages'
import { jobPace, poll } from '../../shared/live/interval'

export function runQuery(id: number) {
  return queryOptions({
    queryKey: ['runs', String(id)],
    queryFn: () => take(api.GET('/runs/{id}', { params: { path: { id } } })),
    refetchInterval: poll<Run>((run) => jobPace(run?.job.state)),
  })
}

export function snapshotsList(id: number, live: boolean) {
  return listOptions<Snapshot>({
    queryKey: ['runs', String(id), 'snapshots'],
    read: (at) => take(api.GET('/runs/{id}/snapshots', { params: { path: { id }, query: at } })),
    pace: () => (live ? 'queued' : 'finished'),
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

/** The newest runs with what they were told, of one model or of all. */
export function runTableQuery(model: string | undefined, project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['runs', 'table', model ?? ''], project),
    queryFn: () => take(api.GET('/runs/table', { params: { query: { ...(model === undefined ? {} : { model }), ...within(project) } } })),
    refetchInterval: poll<RunTable>((found) => (found?.runs.some(({ state }) => jobPace(state) !== 'finished') ? 'queued' : 'finished')),
  })
}

/** What was measured of the version that a run became. */
export function resultQuery(model: string, version: number) {
  return queryOptions({
    queryKey: ['models', model, 'version', String(version)],
    queryFn: () => take(api.GET('/models/{model}/versions/{version}', { params: { path: { model, version: String(version) } } })),
  })
}
