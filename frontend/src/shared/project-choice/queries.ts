import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'

/** The newest projects that somebody is in, of all for owners of the platform. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: () => take(api.GET('/projects')),
  staleTime: 60_000,
})

/** By id or name. */
export function projectQuery(reference: string) {
  return queryOptions({
    queryKey: ['projects', reference],
    queryFn: () => take(api.GET('/projects/{reference}', { params: { path: { reference } } })),
  })
}
