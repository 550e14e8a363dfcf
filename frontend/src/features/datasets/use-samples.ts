import { useQueries } from '@tanstack/react-query'

import type { Sample, SimilarSample } from '../../shared/api/types'
import { type Selection, samplesQuery } from './queries'
import { similarQuery } from './similar/queries'
import { windowSize, windowsFor } from './windows'

export interface SamplesInView {
  /** With its similarity, where they are ordered by it. */
  at: (index: number) => Sample | SimilarSample | undefined
  /** The ids of each window that is read. */
  windows: number[][]
  /** null until a first window has told it. */
  total: number | null
  error: Error | null
  retry: () => void
}

/** The samples from `first` to `last`, read by windows of 200; a window once read stays in the query cache for a while. */
export function useSamples(selection: Selection, first: number, last: number, knownTotal: number): SamplesInView {
  const offsets = windowsFor(first, last, knownTotal)
  const { similar } = selection
  const byId = useQueries({ queries: similar ? [] : offsets.map((offset) => samplesQuery(selection, offset)) })
  const byLikeness = useQueries({ queries: similar ? offsets.map((offset) => similarQuery(selection, similar, offset)) : [] })
  const pages = similar ? byLikeness : byId
  return {
    at: (index) => {
      const offset = Math.floor(index / windowSize) * windowSize
      return pages[offsets.indexOf(offset)]?.data?.results[index - offset]
    },
    windows: pages.flatMap(({ data }) => (data ? [data.results.map(({ id }) => id)] : [])),
    total: pages.find((page) => page.data)?.data?.total ?? null,
    error: pages.find((page) => page.isError && !page.data)?.error ?? null,
    retry: () => {
      for (const page of pages) if (page.isError) void page.refetch()
    },
  }
}
