import { api, take } from '../../shared/api/client'
import { within } from '../../shared/api/queries'
import type { AuditEvent } from '../../shared/api/types'
import { listOptions } from '../../shared/lists/pages'
import type { ListSearch } from '../../shared/routes/list-search'

/** The newest first; the server searches, for rows are only ever added. */
export function auditList(search: ListSearch, project: string | null) {
  const query = { ...search, ...within(project) }
  return listOptions<AuditEvent>({ queryKey: ['audit', query], read: (at) => take(api.GET('/audit', { params: { query: { ...query, ...at } } })) })
}

/** Where a browser downloads the same as JSON lines, all pages of it. */
export function exportAddress(search: ListSearch, project: string | null): string {
  const query = new URLSearchParams({ ...search, ...within(project) }).toString()
  return query === '' ? '/audit/export' : `/audit/export?${query}`
}
