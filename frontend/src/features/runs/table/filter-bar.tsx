import { X } from 'lucide-react'
import { useState } from 'react'

import { amount } from '../../../shared/format/amount'
import { TextField } from '../../../shared/ui/fields'
import { Form } from '../../../shared/ui/form'
import { namesOf } from './axes'
import type { RunColumn } from './columns'
import { rangeWords, type Range } from './ranges'

interface FilterBarProps {
  columns: readonly RunColumn[]
  ranges: readonly Range[]
  onRange: (column: string, range: Range | null) => void
}

/** What the runs have to be, each to be taken back, and a form for one more: the axes' way for those who use no mouse. */
export function FilterBar({ columns, ranges, onRange }: FilterBarProps) {
  const [wanted, setWanted] = useState('')
  const column = columns.find(({ id }) => id === wanted) ?? columns[0]
  return (
    <div className="panel-body run-filters">
      {ranges.map((range) => {
        const of = columns.find(({ id }) => id === range.column)
        const words = of ? `${of.title}: ${rangeWords(range, of)}` : `${range.column}: nothing here has it`
        return (
          <button key={range.column} type="button" className="button little" aria-label={`Remove the filter ${words}`} onClick={() => onRange(range.column, null)}>
            {words}
            <X size={12} aria-hidden />
          </button>
        )
      })}
      {column && (
        <details>
          <summary>Filter by a value</summary>
          <div className="row wrap run-filter">
            <label>
              <span className="small quiet">Column</span>
              <select className="field" value={column.id} onChange={({ target }) => setWanted(target.value)}>
                {columns.map(({ id, title }) => (
                  <option key={id} value={id}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
            {column.isNumber ? <Numbers key={column.id} column={column} onRange={onRange} /> : <Names key={column.id} column={column} ranges={ranges} onRange={onRange} />}
          </div>
        </details>
      )}
    </div>
  )
}

type OneColumn = Pick<FilterBarProps, 'onRange'> & { column: RunColumn }

function Numbers({ column, onRange }: OneColumn) {
  const [ends, setEnds] = useState({ from: '', to: '' })
  const from = amount(ends.from)
  const to = amount(ends.to)
  const faults = { to: from !== null && to !== null && from > to ? 'Type a number that is not below the first.' : null }
  return (
    <Form className="row wrap run-filter" faults={faults} onSend={() => onRange(column.id, from === null && to === null ? null : { column: column.id, from, to })}>
      {(['from', 'to'] as const).map((name) => (
        <TextField key={name} name={name} label={name} inputMode="decimal" value={ends[name]} onChange={(value) => setEnds({ ...ends, [name]: value })} />
      ))}
      <button type="submit" className="button">
        Filter
      </button>
    </Form>
  )
}

function Names({ column, ranges, onRange }: OneColumn & Pick<FilterBarProps, 'ranges'>) {
  const range = ranges.find((one) => one.column === column.id)
  const names = range && 'names' in range ? range.names : []
  const turn = (name: string) => {
    const next = names.includes(name) ? names.filter((one) => one !== name) : [...names, name]
    onRange(column.id, next.length === 0 ? null : { column: column.id, names: next })
  }
  return (
    <fieldset className="bare row wrap">
      <legend className="visually-hidden">Values of {column.title}</legend>
      {namesOf(column).map((name) => (
        <label key={name} className="check">
          <input type="checkbox" checked={names.includes(name)} onChange={() => turn(name)} />
          {name}
        </label>
      ))}
    </fieldset>
  )
}
