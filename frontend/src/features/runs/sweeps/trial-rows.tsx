import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import type { Trial } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { SortHeading } from '../../../shared/lists/sort-heading'
import { type Order, sorted, turned } from '../../../shared/lists/sorting'
import { ScrollingTable } from '../../../shared/lists/table'
import type { RunColumn } from '../table/columns'
import { TrialChip } from './chips'

interface TrialRowsProps {
  /** That the trials train. */
  model: string
  trials: readonly Trial[]
  columns: readonly RunColumn[]
  /** Places of the trials that are shown. */
  places: readonly number[]
  looked: number | null
  onLook: (place: number | null) => void
  /** Whether the best is the lowest. */
  lowestFirst: boolean
}

/** The trials, the best one first until somebody orders them otherwise. */
export function TrialRows({ model, trials, columns, places, looked, onLook, lowestFirst }: TrialRowsProps) {
  const [order, setOrder] = useState<Order>({ by: 'value', down: !lowestFirst })
  const by = columns.find(({ id }) => id === order.by)
  const shown = sorted(places, (place) => (by ? (by.values[place] ?? null) : (trials[place]?.number ?? null)), order.down)
  const onOrder = (one: string) => setOrder(turned(order, one))
  return (
    <section className="panel" aria-labelledby="trial-rows">
      <div className="panel-head">
        <h2 id="trial-rows" aria-live="polite">
          {places.length === trials.length ? plural(trials.length, 'trial') : `${places.length} of ${plural(trials.length, 'trial')}`}
        </h2>
      </div>
      <ScrollingTable caption="Trials">
        <thead>
          <tr>
            <SortHeading name="Trial" by="name" order={order} onOrder={onOrder} />
            <th scope="col">State</th>
            {columns.map(({ id, title }) => (
              <SortHeading key={id} name={title} by={id} order={order} onOrder={onOrder} />
            ))}
            <th scope="col">Run</th>
            <th scope="col">Why it ended early</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((place) => {
            const trial = trials[place]
            if (!trial) return null
            return (
              <tr key={trial.number} className={looked === place ? 'looked' : undefined} onPointerEnter={() => onLook(place)} onPointerLeave={() => onLook(null)} onFocus={() => onLook(place)} onBlur={() => onLook(null)}>
                <th scope="row">{trial.number}</th>
                <td>
                  <TrialChip state={trial.state} />
                </td>
                {columns.map((column) => (
                  <td key={column.id} className="number">
                    {column.words(column.values[place] ?? null)}
                  </td>
                ))}
                <td className="run-fact">
                  {trial.run === null ? (
                    '–'
                  ) : (
                    <Link to="/runs/$id" params={{ id: String(trial.run) }}>
                      Run {trial.run}
                    </Link>
                  )}
                  {trial.model_version !== null && (
                    <>
                      {' · '}
                      <Link to="/models/$model/$version" params={{ model, version: String(trial.model_version) }}>
                        v{trial.model_version}
                      </Link>
                    </>
                  )}
                </td>
                <td className="quiet small trial-reason">{trial.reason || '–'}</td>
              </tr>
            )
          })}
        </tbody>
      </ScrollingTable>
    </section>
  )
}
