import type { Histogram } from '../../shared/api/types'

export interface HistogramBar {
  low: number
  high: number
  count: number
  /** 0 to 1 of the tallest, by logarithm: most of a pool lies in one bar, and a few samples are seen all the same. */
  height: number
  /** Whether what stands here was picked: it lies at the cut or above. */
  above: boolean
}

export function barsOf({ edges, counts, cut }: Histogram): HistogramBar[] {
  const tallest = Math.log1p(Math.max(...counts, 1))
  return counts.map((count, index) => {
    const low = edges[index] ?? 0
    const high = edges[index + 1] ?? low
    return { low, high, count, height: Math.log1p(count) / tallest, above: cut !== null && high > cut }
  })
}

/** Where the cut stands between the first and the last edge, 0 to 1; null where it is not seen. */
export function cutPlace({ edges, cut }: Histogram): number | null {
  const [first, last] = [edges[0], edges.at(-1)]
  if (cut === null || first === undefined || last === undefined || last <= first) return null
  const place = (cut - first) / (last - first)
  return place >= 0 && place <= 1 ? place : null
}
