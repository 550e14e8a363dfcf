import type { JobState } from '../api/types'

/** The search part of the list of mining jobs. */
export interface MiningSearch {
  q?: string
  state?: JobState
}

export const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const satisfies readonly JobState[]

/** Reads an address that anybody may have typed: what makes no sense is left out. */
export function miningSearch(search: Record<string, unknown>): MiningSearch {
  const state = jobStates.find((one) => one === search.state)
  return { ...(typeof search.q === 'string' && search.q !== '' ? { q: search.q } : {}), ...(state ? { state } : {}) }
}

/** What the form of mining begins with; the samples that are wanted go beside the address (`wantedState`). */
export interface MineSearch {
  dataset?: string
  slice?: string
  model?: string
  modelVersion?: string
  strategy?: string
}

/** As `miningSearch`. */
export function mineSearch(search: Record<string, unknown>): MineSearch {
  const names = ['dataset', 'slice', 'model', 'modelVersion', 'strategy'] as const
  return Object.fromEntries(names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])))
}
