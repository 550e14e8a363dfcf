import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { keyWithin, within } from '../../shared/api/queries'
import type { TeamSearch } from '../../shared/routes/people-search'

/** One row for each person; an annotator is told their own only. */
export function figuresQuery({ queue, days }: TeamSearch, project: string | null) {
  const query = { ...within(project), ...(queue === undefined ? {} : { queue: String(queue) }), ...(days === undefined ? {} : { days }) }
  return queryOptions({
    queryKey: ['team', 'people', query],
    queryFn: async () => (await take(api.GET('/labeling/people', { params: { query } }))).results,
  })
}

export function agreementQuery(queue: number) {
  return queryOptions({
    queryKey: ['team', 'agreement', queue],
    queryFn: () => take(api.GET('/labeling/queues/{reference}/agreement', { params: { path: { reference: String(queue) } } })),
  })
}

/** What waits in each queue, the most urgent first; for reviewers and up. */
export function waitingQuery(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['queues', 'waiting'], project),
    queryFn: async () => (await take(api.GET('/labeling/waiting', { params: { query: within(project) } }))).results,
  })
}
