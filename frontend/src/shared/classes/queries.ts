import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'

export function schemaQuery(dataset: string) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'schema'],
    queryFn: () => take(api.GET('/datasets/{reference}/schema', { params: { path: { reference: dataset } } })),
  })
}
