import type { RunTable } from '../../../shared/api/types'
import type { Cell, RunColumn } from './columns'

/** Text that a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/

function cell(value: Cell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The runs at these places with all columns, as RFC 4180 writes tables. */
export function csvOf({ runs }: RunTable, columns: readonly RunColumn[], places: readonly number[]): string {
  const head = ['run', 'model', 'model_version', 'state', 'created', 'notes', ...columns.map(({ id }) => id)]
  const rows = places.flatMap((place) => {
    const run = runs[place]
    return run ? [[run.id, run.model, run.model_version, run.state, run.created, run.notes, ...columns.map(({ values }) => values[place] ?? null)]] : []
  })
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}
