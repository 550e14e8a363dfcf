import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'

export const strategiesQuery = queryOptions({
  queryKey: ['strategies'],
  queryFn: async () => (await take(api.GET('/strategies'))).results,
  staleTime: Infinity,
})
