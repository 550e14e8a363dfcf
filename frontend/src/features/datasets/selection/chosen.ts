import type { SamplesFilter } from '../../../shared/api/types'
import { both } from '../../../shared/filters/text'

/** A sample by its id, with its key. */
export interface Named {
  id: number
  key: string
}

/** Which of the samples that the grid shows are selected: some, or all that match but a few. */
export type Chosen = { all: false; keys: ReadonlyMap<number, string> } | { all: true; except: ReadonlySet<number> }

/** What a filter takes by their ids. */
export const mostByHand = 20_000

export const nothing: Chosen = { all: false, keys: new Map() }
export const everything: Chosen = { all: true, except: new Set() }

/** A filter that every sample passes, as there is no empty one. */
const anySample = 'labelled or not labelled'

export function isChosen(chosen: Chosen, id: number): boolean {
  return chosen.all ? !chosen.except.has(id) : chosen.keys.has(id)
}

/** How many are selected, of `total` that match. */
export function countOf(chosen: Chosen, total: number): number {
  return chosen.all ? Math.max(0, total - chosen.except.size) : chosen.keys.size
}

export function toggled(chosen: Chosen, { id, key }: Named): Chosen {
  if (chosen.all) {
    const except = new Set(chosen.except)
    if (!except.delete(id)) except.add(id)
    return { all: true, except }
  }
  const keys = new Map(chosen.keys)
  if (!keys.delete(id)) keys.set(id, key)
  return { all: false, keys }
}

/** With these samples too; null where they become more than a filter takes. */
export function withSamples(chosen: Chosen, samples: readonly Named[]): Chosen | null {
  if (chosen.all) {
    const except = new Set(chosen.except)
    for (const { id } of samples) except.delete(id)
    return { all: true, except }
  }
  const keys = new Map(chosen.keys)
  for (const { id, key } of samples) keys.set(id, key)
  return keys.size > mostByHand ? null : { all: false, keys }
}

/** The filter that the selected samples pass, of all that pass `shown`. */
export function filterOf(chosen: Chosen, shown: string): SamplesFilter {
  if (!chosen.all) return { samples: [...chosen.keys.keys()] }
  const but = chosen.except.size === 0 ? '' : `not samples in (${[...chosen.except].join(', ')})`
  return both(shown, but) || anySample
}
