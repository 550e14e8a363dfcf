import type { Cell, RunColumn } from './columns'

/** An axis of the parallel coordinates: where each value lies on it, 0 (below) to 1 (above). */
export interface Axis {
  column: RunColumn
  /** Null for a run that has no such value. */
  place: (value: Cell) => number | null
  /** What stands beside it. */
  ticks: readonly { at: number; words: string }[]
}

const mostNames = 12

export function axisOf(column: RunColumn): Axis {
  return column.isNumber ? ofNumbers(column) : ofNames(column)
}

function ofNumbers(column: RunColumn): Axis {
  const numbers = column.values.filter((value) => typeof value === 'number')
  const scale = column.isWide ? Math.log : (value: number) => value
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  const span = scale(high) - scale(low)
  const place = (value: Cell) => (typeof value !== 'number' ? null : span === 0 ? 0.5 : (scale(value) - scale(low)) / span)
  const ends = low === high ? [low] : [low, high]
  return { column, place, ticks: ends.map((value) => ({ at: place(value) ?? 0, words: column.words(value) })) }
}

function ofNames(column: RunColumn): Axis {
  const names = namesOf(column)
  const at = new Map(names.map((name, index) => [name, names.length === 1 ? 0.5 : index / (names.length - 1)]))
  const place = (value: Cell) => (value === null ? null : (at.get(String(value)) ?? null))
  const shown = names.length <= mostNames ? names : [names[0] ?? '', names.at(-1) ?? '']
  return { column, place, ticks: shown.map((name) => ({ at: at.get(name) ?? 0, words: name })) }
}

/** The different values of a column of names, in their order. */
export function namesOf({ values }: RunColumn): string[] {
  return [...new Set(values.filter((value) => value !== null).map(String))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}
