import { namesOf, type Axis } from './axes'
import type { Cell, RunColumn } from './columns'

/** What a run's value has to be: a number from and to, or one of some names. */
export type Range = { column: string } & ({ from: number | null; to: number | null } | { names: readonly string[] })

const number = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** As it stands in an address: `recipe.steps:100..200`, `architecture:=small_cnn|resnet`. */
export function written(range: Range): string {
  if ('names' in range) return `${range.column}:=${range.names.map(encodeURIComponent).join('|')}`
  return `${range.column}:${range.from ?? ''}..${range.to ?? ''}`
}

/** Null for what makes no sense. */
export function read(text: string): Range | null {
  const colon = text.indexOf(':')
  if (colon < 1) return null
  const [column, rest] = [text.slice(0, colon), text.slice(colon + 1)]
  if (rest.startsWith('=')) return readNames(column, rest.slice(1))
  const ends = rest.split('..')
  if (ends.length !== 2 || rest === '..' || !ends.every((end) => end === '' || number.test(end))) return null
  const [from, to] = ends.map((end) => (end === '' ? null : Number(end)))
  return { column, from: from ?? null, to: to ?? null }
}

function readNames(column: string, text: string): Range | null {
  try {
    const names = text.split('|').filter(Boolean).map(decodeURIComponent)
    return names.length > 0 ? { column, names } : null
  } catch {
    return null
  }
}

export function fits(range: Range, value: Cell): boolean {
  if (value === null) return false
  if ('names' in range) return range.names.includes(String(value))
  return typeof value === 'number' && (range.from === null || value >= range.from) && (range.to === null || value <= range.to)
}

/** The places of the runs that have all that is asked; what is asked of a column that is no more counts for nothing. */
export function chosen(columns: readonly RunColumn[], ranges: readonly Range[], runs: number): number[] {
  const asked = ranges.flatMap((range) => columns.filter(({ id }) => id === range.column).map(({ values }) => ({ range, values })))
  return Array.from({ length: runs }, (_, place) => place).filter((place) => asked.every(({ range, values }) => fits(range, values[place] ?? null)))
}

/** What a part of an axis, 0 to 1, holds: from the least to the largest value in it; null where there is none. */
export function within({ column, place }: Axis, low: number, high: number): Range | null {
  const inside = column.values.filter((value) => {
    const at = place(value)
    return at !== null && at >= low && at <= high
  })
  if (inside.length === 0) return null
  if (!column.isNumber) return { column: column.id, names: namesOf({ ...column, values: inside }) }
  const numbers = inside.map(Number)
  return { column: column.id, from: Math.min(...numbers), to: Math.max(...numbers) }
}

/** `0.001 to 0.1`, `at least 5`, `small_cnn or resnet`. */
export function rangeWords(range: Range, { words }: RunColumn): string {
  if ('names' in range) return range.names.join(' or ')
  const { from, to } = range
  if (from !== null && to !== null) return from === to ? words(from) : `${words(from)} to ${words(to)}`
  return from !== null ? `at least ${words(from)}` : `at most ${words(to)}`
}
