import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import { cursorOf } from '../../../shared/api/pages'

export function allVersionsQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ['datasets', id, 'versions', 'all'],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/datasets/{reference}/versions', {
          params: { path: { reference: id }, query: pageParam === null ? {} : { cursor: pageParam } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}

const mostNames = 500

/** Tags and aliases; of either kind the newest 500. */
export function namesQuery(id: string) {
  const params = { params: { path: { reference: id }, query: { limit: mostNames } } }
  return queryOptions({
    queryKey: ['datasets', id, 'names'],
    queryFn: async () => {
      const lists = await Promise.all([take(api.GET('/datasets/{reference}/tags', params)), take(api.GET('/datasets/{reference}/aliases', params))])
      return lists.flatMap(({ results }) => results)
    },
  })
}
