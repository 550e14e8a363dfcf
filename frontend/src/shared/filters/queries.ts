import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'

/** What can be said in a filter of a dataset: fields, classes, names in metadata and attributes. */
export function vocabularyQuery(id: string) {
  return queryOptions({
    queryKey: ['datasets', id, 'vocabulary'],
    queryFn: () => take(api.GET('/datasets/{reference}/filters', { params: { path: { reference: id } } })),
    staleTime: 60_000,
  })
}

/** The filter in both forms, with how many samples of a version pass; refused with the place of the fault. */
export function checkFilter(id: string, filter: string, version: number | 'head') {
  return take(api.POST('/datasets/{reference}/filters', { params: { path: { reference: id } }, body: { filter, version: String(version) } }))
}
