import type { OutcomesSearch } from '../../shared/routes/outcomes-search'
import { type JsonRecord, list, number, text } from './reading'

/** matrix[true][predicted]; null where the evaluation has none that fits the classes, of objects these and the background. */
export function confusion(metrics: JsonRecord, classes: readonly string[], objects = false): number[][] | null {
  const rows = list(metrics.confusion).map((row) => list(row).map((cell) => number(cell) ?? 0))
  const fits = rows.length === classes.length + Number(objects) && rows.every((row) => row.length === rows.length)
  return fits && rows.length > 0 ? rows : null
}

/** What is not an object, as rows and columns name it: never a class. */
export function backgroundOf(classes: readonly string[]): string {
  return classes.includes('background') ? '(background)' : 'background'
}

/** Of the rows and columns of a matrix: the classes, and the background where it is counted. */
export function matrixNames(matrix: readonly unknown[], classes: readonly string[]): string[] {
  return matrix.length > classes.length ? [...classes, backgroundOf(classes)] : [...classes]
}

/** What is counted in a cell. */
export function cellWords(label: string, predicted: string, classes: readonly string[]): string {
  const background = backgroundOf(classes)
  if (label === background) return `${predicted} where there is nothing`
  if (predicted === background) return `${label} not found`
  if (predicted === label) return `${label} told right`
  return `${label} taken for ${predicted}`
}

/** A cell as its list is asked for. */
export function cellOf(label: string, predicted: string, classes: readonly string[]): OutcomesSearch {
  const [row, column] = [label, predicted].map((name) => (name === backgroundOf(classes) ? '-1' : name))
  return { kind: 'cell', label: row ?? '', predicted: column ?? '' }
}

export interface ConfusedPair {
  label: string
  predicted: string
  samples: number
}

/** The classes most often taken for another, from the matrix where the evaluation does not list them. */
export function confusedPairs(metrics: JsonRecord, classes: readonly string[], objects = false): ConfusedPair[] {
  const told = list(metrics.confused).flatMap((pair) => {
    const [label, predicted, samples] = list(pair)
    const [a, b, n] = [text(label), text(predicted), number(samples)]
    return a !== null && b !== null && n !== null ? [{ label: a, predicted: b, samples: n }] : []
  })
  if (told.length > 0) return told
  const matrix = confusion(metrics, classes, objects) ?? []
  const names = matrixNames(matrix, classes)
  const cells = matrix.flatMap((row, from) => row.map((samples, to) => ({ label: names[from] ?? '', predicted: names[to] ?? '', samples })))
  return cells.filter((cell) => cell.label !== cell.predicted && cell.samples > 0).sort((a, b) => b.samples - a.samples)
}
