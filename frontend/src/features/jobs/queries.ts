import { api, take } from '../../shared/api/client'
import { within } from '../../shared/api/queries'
import type { Job, JobDetail, Shard } from '../../shared/api/types'
import { listOptions, type Page } from '../../shared/lists/pages'
import { jobPace } from '../../shared/live/interval'
import type { JobsSearch } from '../../shared/routes/jobs-search'

/** The newest first, with the kinds that there are. */
export function jobsList(search: JobsSearch, project: string | null) {
  const query = { ...search, ...within(project) }
  return listOptions<Job, Page<Job> & { kinds: string[] }>({
    queryKey: ['jobs', 'list', query],
    read: (at) => take(api.GET('/jobs', { params: { query: { ...query, ...at } } })),
    pace: (rows) => (rows?.some(({ state }) => state === 'running') ? 'running' : 'queued'),
  })
}

export function shardsList(job: JobDetail, failed: boolean) {
  return listOptions<Shard>({
    queryKey: ['jobs', job.id, 'shards', failed],
    read: (at) => take(api.GET('/jobs/{id}/shards', { params: { path: { id: job.id }, query: { ...(failed ? { state: 'failed' } : {}), ...at } } })),
    pace: () => jobPace(job.state),
  })
}
