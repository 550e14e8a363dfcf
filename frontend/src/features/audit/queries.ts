import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { cursorOf } from '../../shared/api/pages'
import { keyWithin, within } from '../../shared/api/queries'
import type { ListSearch } from '../../shared/routes/list-search'

/** The newest first; the server searches, for rows are only ever added. */
export function auditQuery(search: ListSearch, project: string | null) {
  return infiniteQueryOptions({
    queryKey: keyWithin(['audit', search], project),
    queryFn: ({ pageParam }) => take(api.GET('/audit', { params: { query: { ...search, ...within(project), ...(pageParam === null ? {} : { cursor: pageParam }) } } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
    placeholderData: keepPreviousData,
  })
}

/** Where a browser downloads the same as JSON lines, all pages of it. */
export function exportAddress(search: ListSearch, project: string | null): string {
  const query = new URLSearchParams({ ...search, ...within(project) }).toString()
  return query === '' ? '/audit/export' : `/audit/export?${query}`
}
