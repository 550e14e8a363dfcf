import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import { cursorOf } from '../../../shared/api/pages'
import type { OutcomesSearch } from '../../../shared/routes/outcomes-search'

const atOnce = 48

/** A version's predictions never change, so neither does what it got right and wrong; samples may leave the dataset. */
export function outcomesQuery(model: string, version: string, search: OutcomesSearch) {
  return infiniteQueryOptions({
    queryKey: ['models', model, 'version', version, 'outcomes', search],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/models/{model}/versions/{version}/outcomes', {
          params: { path: { model, version }, query: { ...search, limit: atOnce, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}

/** The samples behind the whole list. */
export function outcomeSamplesQuery(model: string, version: string, search: OutcomesSearch) {
  const which = Object.fromEntries(Object.entries(search).filter(([name]) => name !== 'order')) as unknown as Omit<OutcomesSearch, 'order'>
  return queryOptions({
    queryKey: ['models', model, 'version', version, 'outcome-samples', which],
    queryFn: () => take(api.GET('/models/{model}/versions/{version}/outcomes/samples', { params: { path: { model, version }, query: which } })),
  })
}
