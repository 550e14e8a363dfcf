import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'

/** As many as the server lists at once. */
const most = 500

/** The projects that somebody is in, and all for owners of the platform. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async () => (await take(api.GET('/projects', { params: { query: { limit: most } } }))).results,
  staleTime: 60_000,
})
