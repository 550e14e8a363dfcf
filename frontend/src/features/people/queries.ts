import { keepPreviousData, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'

/** Everybody whose name has `q` in it. */
export function peopleQuery(q: string) {
  return queryOptions({
    queryKey: ['people', 'list', q],
    queryFn: async () => (await take(api.GET('/people', { params: { query: q === '' ? {} : { q } } }))).results,
    placeholderData: keepPreviousData,
  })
}
