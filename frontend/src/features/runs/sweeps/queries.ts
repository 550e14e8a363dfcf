import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import { cursorOf } from '../../../shared/api/pages'
import { asked, type Searched } from '../../../shared/api/lists'
import { within } from '../../../shared/api/queries'
import type { Sweep, SweepRow, Trial } from '../../../shared/api/types'
import { listOptions } from '../../../shared/lists/pages'
import { jobPace, poll } from '../../../shared/live/interval'

/** The newest first. */
export function sweepsList(search: Searched, project: string | null) {
  const query = { ...asked(search), ...within(project) }
  return listOptions<SweepRow>({
    queryKey: ['sweeps', 'list', query],
    read: (at) => take(api.GET('/sweeps', { params: { query: { ...query, ...at } } })),
    pace: (rows) => (rows?.some(({ state }) => state === 'running') ? 'running' : 'queued'),
  })
}

export function sweepQuery(id: string) {
  return queryOptions({
    queryKey: ['sweeps', id],
    queryFn: () => take(api.GET('/sweeps/{sweep}', { params: { path: { sweep: id } } })),
    refetchInterval: poll<Sweep>((sweep) => jobPace(sweep?.state)),
  })
}

/** As many as the server sends at once. */
const page = 500

/** All of them in their order, asked again while the sweep goes on or one is made a version of. */
export function trialsQuery(id: string, live: boolean) {
  return queryOptions({
    queryKey: ['sweeps', id, 'trials'],
    queryFn: async () => {
      const found: Trial[] = []
      for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
        const { results, next }: { results: Trial[]; next: string | null } = await take(
          api.GET('/sweeps/{sweep}/trials', { params: { path: { sweep: id }, query: { limit: page, ...(cursor === null ? {} : { cursor }) } } }),
        )
        found.push(...results)
        cursor = cursorOf(next) ?? undefined
      }
      return found.reverse()
    },
    refetchInterval: poll<Trial[]>((trials) => (live || trials?.some(({ job_state: state }) => state !== null && jobPace(state) !== 'finished') ? 'running' : 'finished')),
  })
}
