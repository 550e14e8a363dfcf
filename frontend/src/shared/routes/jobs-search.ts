import type { JobState } from '../api/types'
import { jobStates } from './mining-search'

/** The search part of the list of jobs. */
export interface JobsSearch {
  q?: string
  state?: JobState
  kind?: string
}

/** Reads an address that anybody may have typed: what makes no sense is left out. */
export function jobsSearch(search: Record<string, unknown>): JobsSearch {
  const state = jobStates.find((one) => one === search.state)
  return {
    ...(typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {}),
    ...(state ? { state } : {}),
    ...(typeof search.kind === 'string' && search.kind !== '' ? { kind: search.kind } : {}),
  }
}
