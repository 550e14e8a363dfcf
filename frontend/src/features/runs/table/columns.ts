import type { RunTable } from '../../../shared/api/types'
import { count, duration } from '../../../shared/format/numbers'
import { figureWords, lowerIsBetter, metricWords } from '../../../tasktypes/metric-words'

export type Cell = number | string | null

/** Something that runs have, or have not. */
export interface RunColumn {
  id: string
  title: string
  /** One per run. */
  values: readonly Cell[]
  /** Whether all that are there are numbers. */
  isNumber: boolean
  /** Numbers that span so much that they are drawn by their logarithm. */
  isWide: boolean
  /** What came out, rather than what was told. */
  isResult: boolean
  lowerIsBetter: boolean
  words: (value: Cell) => string
}

/** The factor between the least and the largest number from which they are drawn by their logarithm. */
const wide = 50
const result = 'result.'
const time = 'seconds'

/** A setting as a cell. */
export function plain(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number')) return value.length === 0 ? 'none' : value.join(', ')
  return JSON.stringify(value)
}

export function settingWords(value: Cell): string {
  if (value === null) return '–'
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : value
}

/** A column with what can be told from its values. */
export function columnOf(part: Pick<RunColumn, 'id' | 'title' | 'values' | 'words'> & Partial<RunColumn>): RunColumn {
  const known = part.values.filter((value) => value !== null)
  const numbers = known.filter((value) => typeof value === 'number')
  const isNumber = known.length > 0 && numbers.length === known.length
  const isWide = isNumber && numbers.every((value) => value > 0) && Math.max(...numbers) >= wide * Math.min(...numbers)
  return { isResult: false, lowerIsBetter: false, ...part, isNumber, isWide }
}

/** Settings that say too little by their own name. */
const settingTitles: Partial<Record<string, string>> = { version: 'dataset version' }

/** What differs between the runs, and then what came out; settings that all have alike are left out. */
export function columnsOf({ runs, config, metrics }: RunTable): RunColumn[] {
  const differing = config.filter(({ same }) => !same)
  const titles = shortest(differing.map(({ name }) => name))
  const settings = differing.map(({ name, values }, place) => columnOf({ id: name, title: settingTitles[name] ?? titles[place] ?? name, values: values.map(plain), words: settingWords }))
  const results = metrics.map(({ name, values }) =>
    columnOf({ id: `${result}${name}`, title: metricWords(name), values, isResult: true, lowerIsBetter: lowerIsBetter(name), words: (value) => (typeof value === 'number' ? figureWords(name, value) : '–') }),
  )
  const took = columnOf({
    id: time, title: 'Time', values: runs.map(({ seconds }) => seconds), isResult: true, lowerIsBetter: true, words: (value) => (typeof value === 'number' ? duration(value) : '–'),
  })
  return [...settings, ...results, took]
}

/** Dotted names by their last part, where no two have it. */
export function shortest(names: readonly string[]): string[] {
  const last = names.map((name) => name.slice(name.lastIndexOf('.') + 1))
  return names.map((name, place) => (last.filter((one) => one === last[place]).length === 1 ? (last[place] ?? name) : name))
}

const usualSettings = 5
const usualResults = 3

/**
 * The columns that are shown before somebody chooses: what a table can hold beside each other, of what at least half of the
 * runs at `places` have. Runs of another task type have other settings and results.
 */
export function usual(columns: readonly RunColumn[], places: readonly number[]): string[] {
  const common = columns.filter(({ values }) => places.filter((place) => values[place] !== null).length * 2 >= places.length)
  const settings = common.filter(({ isResult }) => !isResult).slice(0, usualSettings)
  const results = common.filter(({ isResult }) => isResult).slice(0, usualResults)
  return [...settings, ...results].map(({ id }) => id)
}

/** `12 of 40 runs`. */
export function shownWords(shown: number, all: number): string {
  return shown === all ? `${count(all)} ${all === 1 ? 'run' : 'runs'}` : `${count(shown)} of ${count(all)} runs`
}
