import { infiniteQueryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { cursorOf } from '../../shared/api/pages'
import { keyWithin, within } from '../../shared/api/queries'

const shown = 50

/** The encoders of a project, or of all, the newest first. */
export function encodersQuery(project: string | null) {
  return infiniteQueryOptions({
    queryKey: keyWithin(['encoders', 'list'], project),
    queryFn: ({ pageParam }) => take(api.GET('/encoders', { params: { query: { limit: shown, ...within(project), ...(pageParam ? { cursor: pageParam } : {}) } } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}
