import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import { explain } from '../../../shared/api/errors'
import type { SamplesFilter } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { toast } from '../../../shared/ui/toast-store'
import type { Selection } from '../queries'
import { similarSamples } from '../similar/queries'
import { type Chosen, countOf, everything, filterOf, isChosen, mostByHand, type Named, nothing, toggled, withSamples } from './chosen'

export interface ChosenSamples {
  /** How many are selected. */
  count: number
  /** How many the grid shows. */
  total: number
  all: boolean
  /** A range is being read from the server. */
  reading: boolean
  has: (id: number) => boolean
  /** The filter that the selected samples pass. */
  filter: SamplesFilter
  /** Another one for each selection. */
  stamp: string
  toggle: (sample: Named) => void
  /** Selects the samples from one place to another; `at` gives those that are loaded. */
  range: (from: number, to: number, at: (index: number) => Named | undefined) => void
  selectAll: () => void
  clear: () => void
  /** The keys of all that are selected, asked for where they are not known. */
  keys: () => Promise<string[]>
}

interface Kept {
  /** What the grid showed when they were selected. */
  of: string
  chosen: Chosen
  changes: number
}

/** What of a dataset is selected. Another filter begins anew; another version keeps what is selected. */
export function useChosen(selection: Selection, total: number): ChosenSamples {
  const { shown } = selection
  const of = `${selection.dataset} ${shown}`
  const [kept, setKept] = useState<Kept>({ of, chosen: nothing, changes: 0 })
  const chosen = kept.of === of ? kept.chosen : nothing
  const change = (next: (before: Chosen) => Chosen) =>
    setKept((before) => ({ of, chosen: next(before.of === of ? before.chosen : nothing), changes: before.changes + 1 }))
  const add = (samples: readonly Named[]) => {
    if (withSamples(chosen, samples) === null) tooMany()
    else change((before) => withSamples(before, samples) ?? before)
  }
  const reading = useMutation({
    mutationFn: ({ from, to }: { from: number; to: number }) => shownFrom(selection, from, to - from + 1),
    onSuccess: add,
    onError: (error) => toast('bad', `The range could not be selected. ${explain(error)}`),
  })
  return {
    count: countOf(chosen, total),
    total,
    all: chosen.all,
    reading: reading.isPending,
    has: (id) => isChosen(chosen, id),
    filter: filterOf(chosen, shown),
    stamp: `${of} ${kept.changes}`,
    toggle: (sample) => {
      if (chosen.all || chosen.keys.has(sample.id) || chosen.keys.size < mostByHand) change((before) => toggled(before, sample))
      else tooMany()
    },
    range: (one, other, at) => {
      const [from, to] = one < other ? [one, other] : [other, one]
      if (to - from >= mostByHand) { tooMany(); return; }
      const there = Array.from({ length: to - from + 1 }, (_, step) => at(from + step))
      if (there.every((sample) => sample !== undefined)) add(there)
      else reading.mutate({ from, to })
    },
    selectAll: () => change(() => everything),
    clear: () => change(() => nothing),
    keys: async () => {
      if (!chosen.all) return [...chosen.keys.values()]
      const found: string[] = []
      for (let offset = 0; offset < total; offset += mostByHand) {
        const part = await keysOf(selection, offset, mostByHand)
        found.push(...part.filter(({ id }) => isChosen(chosen, id)).map(({ key }) => key))
      }
      return found
    },
  }
}

/** Samples as the grid orders them. */
function shownFrom(selection: Selection, offset: number, limit: number): Promise<readonly Named[]> {
  return selection.similar ? similarSamples(selection, selection.similar, offset, limit) : keysOf(selection, offset, limit)
}

async function keysOf({ dataset, version, filter, order }: Selection, offset: number, limit: number): Promise<readonly Named[]> {
  const path = { reference: dataset, number: String(version) }
  const { results } = await take(api.GET('/datasets/{reference}/versions/{number}/sample-keys', { params: { path, query: { ...filter, ...order, offset, limit } } }))
  return results
}

function tooMany(): void {
  toast('warn', `At most ${plural(mostByHand, 'sample')} can be selected tile by tile. Filter for those you want, then select all that match.`)
}
