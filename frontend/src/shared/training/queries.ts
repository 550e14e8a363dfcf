import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'

/** The architecture that suits a dataset's images, and why. */
export function recommendationQuery(dataset: string) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'recommended-architecture'],
    queryFn: () => take(api.GET('/datasets/{reference}/recommended-architecture', { params: { path: { reference: dataset } } })),
    retry: false,
  })
}
