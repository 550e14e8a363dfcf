import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'

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
