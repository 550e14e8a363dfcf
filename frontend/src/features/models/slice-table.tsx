import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { count } from '../../shared/format/numbers'
import { Empty } from '../../shared/ui/messages'
import type { Judging } from '../../tasktypes'
import { metricWords } from '../../tasktypes/metric-words'
import { type SliceRow, sliceRows } from './evaluation'
import { FigureText } from './figure-text'
import { ErrorsLinks } from './outcomes/errors-links'
import { SortHeading } from '../../shared/lists/sort-heading'
import { type Order, sorted, turned } from '../../shared/lists/sorting'

function valueOf(row: SliceRow, by: string): number | string | null {
  if (by === 'name') return row.name
  return by === 'samples' ? row.samples : (row.figures[by]?.value ?? null)
}

interface SliceTableProps {
  slices: unknown
  dataset: string | null
  judging: Judging
  /** Whose figures they are. */
  model: string
  version: number
}

/** How well each kept slice of the dataset is answered; the worst first. */
export function SliceTable({ slices, dataset, judging: { headline, sliceFigures }, model, version }: SliceTableProps) {
  const [order, setOrder] = useState<Order>({ by: headline, down: false })
  const rows = sorted(sliceRows(slices, sliceFigures), (row) => valueOf(row, order.by), order.down)
  const headings = [['name', 'Slice'] as const, ...sliceFigures.map((name) => [name, metricWords(name)] as const), ['samples', 'Samples'] as const]
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
                {headings.map(([by, name]) => (
                  <SortHeading key={by} by={by} name={name} order={order} onOrder={(wanted) => setOrder(turned(order, wanted))} />
                ))}
                <th scope="col">Errors</th>
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
                  {sliceFigures.map((name) => (
                    <td key={name} className="number">
                      <FigureText figure={row.figures[name]} />
                    </td>
                  ))}
                  <td className="number">{row.samples === null ? '–' : count(row.samples)}</td>
                  <td>{row.missing === null && <ErrorsLinks model={model} version={version} about={{ slice: row.name }} name={row.name} />}</td>
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
