/** A point of a learning curve. */
export interface CurveMark {
  labels: number
  /** A share, 0 to 1. */
  value: number
  low: number | null
  high: number | null
  /** What else is told of it, in words. */
  more?: string
}

export interface Series {
  id: string
  name: string
  /** What it is in words, for the legend. */
  words: string
  /** By rising number of labels. */
  points: CurveMark[]
}

export interface Columns {
  labels: number[]
  /** For each series three columns over `labels`: value, low, high; null where the series has no point. */
  columns: (number | null)[][]
}

/** uPlot wants one shared x column. */
export function toColumns(series: Series[]): Columns {
  const labels = [...new Set(series.flatMap(({ points }) => points.map((point) => point.labels)))].sort((a, b) => a - b)
  const columns = series.flatMap(({ points }) => {
    const at = new Map(points.map((point) => [point.labels, point]))
    const column = (read: (point: CurveMark) => number | null) =>
      labels.map((x) => {
        const point = at.get(x)
        return point ? read(point) : null
      })
    return [column((point) => point.value), column((point) => point.low), column((point) => point.high)]
  })
  return { labels, columns }
}

/** Pushes label positions (px, any order) at least `gap` apart, moving each as little as the order allows. */
export function spread(wanted: number[], gap: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))
  const placed = [...wanted]
  let floor = -Infinity
  for (const index of order) {
    floor = Math.max(wanted[index] ?? 0, floor + gap)
    placed[index] = floor
  }
  return placed
}

export interface Saving {
  best: string
  other: string
  labels: number
  otherLabels: number
  value: number
}

/** Where one line first reaches the final value of another with fewer labels: what mining was worth. */
export function labelsSaved(series: Series[]): Saving | null {
  let found: Saving | null = null
  for (const best of series) {
    for (const other of series) {
      const goal = other.points.at(-1)
      if (best === other || !goal) continue
      const reached = best.points.find((point) => point.value >= goal.value)
      if (!reached || reached.labels >= goal.labels) continue
      const saving = { best: best.name, other: other.name, labels: reached.labels, otherLabels: goal.labels, value: goal.value }
      if (!found || saving.otherLabels - saving.labels > found.otherLabels - found.labels) found = saving
    }
  }
  return found
}

/** What may lie between two ticks of an axis that counts: half a label would be said as a whole one, at the wrong place. */
export const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
