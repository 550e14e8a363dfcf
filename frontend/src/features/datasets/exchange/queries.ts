import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import type { Export } from '../../../shared/api/types'
import { poll } from '../../../shared/live/interval'

const shown = 10

/** The formats in which annotations come in and go out. */
export const formatsQuery = queryOptions({
  queryKey: ['formats'],
  queryFn: async () => (await take(api.GET('/formats'))).results,
  staleTime: Infinity,
})

/** The newest exports of a dataset, looked at again while one of them is being written. */
export function exportsQuery(dataset: string) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'exports'],
    queryFn: async () =>
      (await take(api.GET('/datasets/{reference}/exports', { params: { path: { reference: dataset }, query: { limit: shown } } }))).results,
    refetchInterval: poll<Export[]>((all) => (all?.some(({ state }) => state === 'running' || state === 'queued') ? 'running' : 'finished')),
  })
}
