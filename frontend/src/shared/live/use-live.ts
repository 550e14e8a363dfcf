import { useQuery, useQueryClient } from '@tanstack/react-query'

import { api, take } from '../api/client'
import type { JobDetail } from '../api/types'
import { jobPace, poll } from './interval'

/** A job with everything it has said so far: each poll asks only for what came after the last. */
export function useLive(id: number) {
  const client = useQueryClient()
  const queryKey = ['jobs', 'live', String(id)]
  return useQuery({
    queryKey,
    queryFn: async () => {
      const before = client.getQueryData<JobDetail>(queryKey)
      const query = before ? { since: before.next } : {}
      return grown(before, await take(api.GET('/jobs/{id}', { params: { path: { id }, query } })))
    },
    refetchInterval: poll((job) => jobPace(job?.state)),
  })
}

/** Later lines are appended once, even when two polls overlapped. */
export function grown(before: JobDetail | undefined, news: JobDetail): JobDetail {
  if (!before) return news
  return { ...news, log: appended(before.log, news.log), points: appended(before.points, news.points) }
}

function appended<T extends { seq: number }>(known: T[], more: T[]): T[] {
  const last = known.at(-1)?.seq ?? -1
  return [...known, ...more.filter((item) => item.seq > last)]
}
