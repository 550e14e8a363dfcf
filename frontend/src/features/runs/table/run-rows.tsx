import { Link } from '@tanstack/react-router'

import type { RunTable } from '../../../shared/api/types'
import { when } from '../../../shared/format/numbers'
import { SortHeading } from '../../../shared/lists/sort-heading'
import type { Order } from '../../../shared/lists/sorting'
import { ScrollingTable } from '../../../shared/lists/table'
import { JobChip } from '../../../shared/ui/job-chip'
import type { RunColumn } from './columns'

/** By which runs are ordered before somebody chooses: the newest first. */
export const byAge = 'name'

interface RunRowsProps {
  table: RunTable
  columns: readonly RunColumn[]
  /** Places of runs, in their order. */
  places: readonly number[]
  order: Order
  onOrder: (by: string) => void
  ticked: readonly number[]
  onTick: (id: number) => void
  looked: number | null
  onLook: (place: number | null) => void
}

export function RunRows({ table, columns, places, order, onOrder, ticked, onTick, looked, onLook }: RunRowsProps) {
  return (
    <ScrollingTable caption="Runs">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Compare</span>
          </th>
          <SortHeading name="Run" by={byAge} order={order} onOrder={onOrder} />
          <th scope="col">State</th>
          {columns.map(({ id, title, isNumber }) => (
            <SortHeading key={id} name={title} by={id} order={order} onOrder={onOrder} isText={!isNumber} />
          ))}
          <th scope="col">Model version</th>
          <th scope="col">Created</th>
        </tr>
      </thead>
      <tbody>
        {places.map((place) => {
          const run = table.runs[place]
          if (!run) return null
          const { id, model, model_version: made, state, created } = run
          return (
            <tr key={id} className={looked === place ? 'looked' : undefined} onPointerEnter={() => onLook(place)} onPointerLeave={() => onLook(null)} onFocus={() => onLook(place)} onBlur={() => onLook(null)}>
              <td>
                <input type="checkbox" aria-label={`Compare run ${id}`} checked={ticked.includes(id)} onChange={() => onTick(id)} />
              </td>
              <th scope="row">
                <Link to="/runs/$id" params={{ id: String(id) }}>
                  Run {id}
                </Link>
              </th>
              <td>
                <JobChip state={state} />
              </td>
              {columns.map((column) => (
                <td key={column.id} className={column.isNumber ? 'number' : 'run-fact'}>
                  {column.words(column.values[place] ?? null)}
                </td>
              ))}
              <td className="run-fact">
                {made === null ? (
                  '–'
                ) : (
                  <Link to="/models/$model/$version" params={{ model, version: String(made) }}>
                    {model} v{made}
                  </Link>
                )}
              </td>
              <td className="quiet run-fact">{when(created)}</td>
            </tr>
          )
        })}
      </tbody>
    </ScrollingTable>
  )
}
