import { type ListSearch, listSearch } from './list-search'

/** The search part of the list of queues. */
export interface QueuesSearch extends ListSearch {
  /** The dataset that a new queue is for: its form is open. */
  dataset?: string
}

/** As `listSearch`. */
export function queuesSearch(search: Record<string, unknown>): QueuesSearch {
  return { ...listSearch(search), ...(typeof search.dataset === 'string' && search.dataset !== '' ? { dataset: search.dataset } : {}) }
}
