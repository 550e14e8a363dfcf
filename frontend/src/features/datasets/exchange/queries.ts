import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import type { Export } from '../../../shared/api/types'
import { listOptions } from '../../../shared/lists/pages'

const shown = 10

/** The formats in which annotations come in and go out. */
export const formatsQuery = queryOptions({
  queryKey: ['formats'],
  queryFn: async () => (await take(api.GET('/formats'))).results,
  staleTime: Infinity,
})

/** The newest exports of a dataset, looked at again while one of them is being written. */
export function exportsList(dataset: string) {
  return listOptions<Export>({
    queryKey: ['datasets', dataset, 'exports'],
    read: (at) => take(api.GET('/datasets/{reference}/exports', { params: { path: { reference: dataset }, query: { limit: shown, ...at } } })),
    pace: (all) => (all?.some(({ state }) => state === 'running' || state === 'queued') ? 'running' : 'finished'),
  })
}
