import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { cursorOf } from '../../shared/api/pages'
import { keyWithin, within } from '../../shared/api/queries'
import type { JobDetail } from '../../shared/api/types'
import { jobPace, poll } from '../../shared/live/interval'
import type { JobsSearch } from '../../shared/routes/jobs-search'

/** The newest first; the server searches, for nobody reads all jobs. */
export function jobsQuery(search: JobsSearch, project: string | null) {
  return infiniteQueryOptions({
    queryKey: keyWithin(['jobs', 'list', search], project),
    queryFn: ({ pageParam }) => take(api.GET('/jobs', { params: { query: { ...search, ...within(project), ...(pageParam === null ? {} : { cursor: pageParam }) } } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
    placeholderData: keepPreviousData,
    refetchInterval: poll((data) => (data?.pages.some(({ results }) => results.some(({ state }) => state === 'running')) ? 'running' : 'queued')),
  })
}

export function shardsQuery(job: JobDetail, failed: boolean) {
  return infiniteQueryOptions({
    queryKey: ['jobs', job.id, 'shards', failed],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/jobs/{id}/shards', {
          params: { path: { id: job.id }, query: { ...(failed ? { state: 'failed' } : {}), ...(pageParam === null ? {} : { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
    refetchInterval: poll(() => jobPace(job.state)),
  })
}
