import { keepPreviousData, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { PlanQuestion } from '../../shared/api/types'

export const examplesQuery = queryOptions({
  queryKey: ['plans', 'examples'],
  queryFn: async () => (await take(api.GET('/plans/examples'))).results,
  staleTime: Infinity,
})

/** A calculation: the same question has the same answer until something new is measured. */
export function planQuery(question: PlanQuestion) {
  return queryOptions({
    queryKey: ['plans', 'made', question],
    queryFn: () => take(api.POST('/plans', { body: question })),
    placeholderData: keepPreviousData,
    retry: false,
  })
}
