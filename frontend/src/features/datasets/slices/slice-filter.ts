import type { Slice } from '../../../shared/api/types'
import type { GridSearch } from '../../../shared/routes/grid-search'

type Filter = Slice['filter']

const conditions = [
  ['split', 'split'],
  ['label', 'class'],
  ['labelled', 'labelled'],
  ['q', 'q'],
] as const

/** What the grid shows now as the filter of a slice: that of the slice it is in, and what was chosen besides. */
export function filterOf(search: GridSearch, inside: Filter = {}): Filter {
  const chosen = conditions.flatMap(([name, condition]) => (search[name] === undefined ? [] : [[condition, search[name]]]))
  return { ...inside, ...(Object.fromEntries(chosen) as Filter) }
}

/** The first condition that the slice has and that was chosen besides: one filter can't hold both. */
export function clash(search: GridSearch, inside: Filter = {}): string | null {
  return conditions.find(([name, condition]) => search[name] !== undefined && condition in inside)?.[1] ?? null
}

/** A filter from what somebody typed; null where it is no JSON object. */
export function parsedFilter(text: string): Filter | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Filter) : null
  } catch {
    return null
  }
}
