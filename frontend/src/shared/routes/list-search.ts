/** The search part of a list's address. */
export interface ListSearch {
  q?: string
}

/** Reads an address that anybody may have typed: what makes no sense is left out. */
export function listSearch(search: Record<string, unknown>): ListSearch {
  return typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {}
}
