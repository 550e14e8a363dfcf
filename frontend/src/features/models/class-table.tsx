import { useState } from 'react'

import { count } from '../../shared/format/numbers'
import { Swatch } from '../../shared/ui/swatch'
import { type ClassRow, classRows } from './evaluation'
import { FigureText } from './figure-text'
import type { JsonRecord } from './reading'
import { SortHeading } from './sort-heading'
import { type Order, sorted, turned } from './sorting'

const values: Record<string, (row: ClassRow) => number | string | null> = {
  name: (row) => row.name,
  precision: (row) => row.precision.value,
  recall: (row) => row.recall.value,
  f1: (row) => row.f1.value,
  support: (row) => row.support,
}
const headings = { name: 'Class', precision: 'Precision', recall: 'Recall', f1: 'F1', support: 'Support' }

/** How well each class is found; the worst F1 first. */
export function ClassTable({ metrics, classes }: { metrics: JsonRecord; classes: string[] }) {
  const [order, setOrder] = useState<Order>({ by: 'f1', down: false })
  const rows = sorted(classRows(metrics, classes), values[order.by] ?? (() => null), order.down)
  return (
    <section className="panel" aria-labelledby="classes">
      <div className="panel-head">
        <h2 id="classes" className="grow">
          Classes
        </h2>
        <span className="quiet small">with 95 % intervals</span>
      </div>
      {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="tall" role="region" aria-label="Figures by class" tabIndex={0}>
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
                  <span className="row">
                    <Swatch classes={classes} name={row.name} />
                    {row.name}
                  </span>
                </th>
                {[row.precision, row.recall, row.f1].map((figure, place) => (
                  <td key={place} className="number">
                    <FigureText figure={figure} />
                  </td>
                ))}
                <td className="number">{row.support === null ? '–' : count(row.support)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
