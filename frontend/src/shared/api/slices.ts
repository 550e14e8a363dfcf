import { queryOptions } from '@tanstack/react-query'

import { api, take } from './client'

const most = 500

/** The saved filters of a dataset, the newest first. */
export function slicesQuery(id: string) {
  return queryOptions({
    queryKey: ['datasets', id, 'slices'],
    queryFn: async () =>
      (await take(api.GET('/datasets/{reference}/slices', { params: { path: { reference: id }, query: { limit: most } } }))).results,
  })
}
