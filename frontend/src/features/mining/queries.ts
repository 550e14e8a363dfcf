import { queryOptions, type QueryClient } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { ApiProblem } from '../../shared/api/errors'
import { useDataset, within } from '../../shared/api/queries'
import type { Histogram, MiningJob, MiningJobDetail, PickOfJob, Quarantined } from '../../shared/api/types'
import { listOptions } from '../../shared/lists/pages'
import { jobPace, poll } from '../../shared/live/interval'
import type { MiningSearch } from '../../shared/routes/mining-search'

const livePace = (job: MiningJob | undefined) => jobPace(job?.job.state)

/** The newest first. */
export function miningJobsList(search: MiningSearch, project: string | null) {
  const query = { ...search, ...within(project) }
  return listOptions<MiningJob>({
    queryKey: ['mining', 'list', query],
    read: (at) => take(api.GET('/mining/jobs', { params: { query: { ...query, ...at } } })),
    pace: (rows) => (rows?.some((job) => livePace(job) === 'running') ? 'running' : 'queued'),
  })
}

export function miningJobQuery(id: number) {
  return queryOptions({
    queryKey: ['mining', id],
    queryFn: async (): Promise<MiningJobDetail> => take(api.GET('/mining/jobs/{id}', { params: { path: { id } } })),
    refetchInterval: poll<MiningJobDetail>(livePace),
  })
}

/** How the scores spread; null while there are none. */
export function histogramQuery(job: MiningJob) {
  return queryOptions({
    queryKey: ['mining', job.id, 'histogram', job.job.state],
    queryFn: async (): Promise<Histogram | null> => {
      // A question that can have no answer yet would be an error in the browser's console.
      if (livePace(job) !== 'finished' && job.job.progress.done === 0) return null
      try {
        return await take(api.GET('/mining/jobs/{id}/histogram', { params: { path: { id: job.id } } }))
      } catch (error) {
        if (error instanceof ApiProblem && error.problem.code === 'histogram_missing') return null
        throw error
      }
    },
    refetchInterval: poll(() => livePace(job)),
  })
}

/** The picks by rank, a page at a time. */
export function picksList(id: number) {
  return listOptions<PickOfJob>({
    queryKey: ['mining', id, 'picks'],
    read: (at) => take(api.GET('/mining/jobs/{id}/picks', { params: { path: { id }, query: at } })),
    fixed: true,
  })
}

/** One pick; it is not asked for again where a page of them was read already. */
export function pickQuery(client: QueryClient, id: number, rank: number) {
  const pages = client.getQueryData(picksList(id).queryKey)?.pages ?? []
  const known = pages.flatMap(({ results }) => results).find((pick) => pick.rank === rank)
  return queryOptions({
    queryKey: ['mining', id, 'picks', rank],
    queryFn: async (): Promise<PickOfJob> => take(api.GET('/mining/jobs/{id}/picks/{rank}', { params: { path: { id, rank } } })),
    ...(known ? { initialData: known } : {}),
    staleTime: Infinity,
  })
}

export function quarantineList(id: number) {
  return listOptions<Quarantined>({ queryKey: ['mining', id, 'quarantine'], read: (at) => take(api.GET('/mining/jobs/{id}/quarantine', { params: { path: { id }, query: at } })) })
}

/** Of the job's dataset, in their order, which gives each its colour. */
export function useClasses({ dataset }: MiningJob): readonly string[] {
  return useDataset(dataset)?.classes ?? []
}
