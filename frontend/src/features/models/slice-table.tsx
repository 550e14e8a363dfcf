import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { count } from '../../shared/format/numbers'
import { Empty } from '../../shared/ui/messages'
import { type SliceRow, sliceRows } from './evaluation'
import { FigureText } from './figure-text'
import { SortHeading } from './sort-heading'
import { type Order, sorted, turned } from './sorting'

const values: Record<string, (row: SliceRow) => number | string | null> = {
  name: (row) => row.name,
  accuracy: (row) => row.accuracy.value,
  f1: (row) => row.f1.value,
  samples: (row) => row.samples,
}
const headings = { name: 'Slice', accuracy: 'Accuracy', f1: 'Macro F1', samples: 'Samples' }

/** How well each kept slice of the dataset is answered; the worst first. */
export function SliceTable({ slices, dataset }: { slices: unknown; dataset: string | null }) {
  const [order, setOrder] = useState<Order>({ by: 'accuracy', down: false })
  const rows = sorted(sliceRows(slices), values[order.by] ?? (() => null), order.down)
  return (
    <section className="panel" aria-labelledby="slices">
      <div className="panel-head">
        <h2 id="slices">Slices</h2>
      </div>
      {rows.length === 0 ? (
        <NoSlices dataset={dataset} />
      ) : (
        <div className="table-scroll">
          <table className="table tight">
            <thead>
              <tr>
                {Object.entries(headings).map(([by, name]) => (
                  <SortHeading key={by} by={by} name={name} order={order} onOrder={(wanted) => setOrder(turned(order, wanted))} />
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.name}>
                  <th scope="row">
                    {dataset === null ? (
                      row.name
                    ) : (
                      <Link to="/datasets/$id" params={{ id: dataset }} search={{ slice: row.name }}>
                        {row.name}
                      </Link>
                    )}
                    {row.missing !== null && <p className="quiet small">Not computed: {row.missing}</p>}
                  </th>
                  <td className="number">
                    <FigureText figure={row.accuracy} />
                  </td>
                  <td className="number">
                    <FigureText figure={row.f1} />
                  </td>
                  <td className="number">{row.samples === null ? '–' : count(row.samples)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function NoSlices({ dataset }: { dataset: string | null }) {
  return (
    <Empty
      action={
        dataset !== null && (
          <Link to="/datasets/$id" params={{ id: dataset }} className="button">
            To the items of {dataset}
          </Link>
        )
      }
    >
      No slices were evaluated. Save a filter of the dataset’s grid as a slice; the next version is evaluated on it too.
    </Empty>
  )
}
