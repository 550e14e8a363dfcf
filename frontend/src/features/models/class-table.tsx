import { useState } from 'react'

import { count, percent } from '../../shared/format/numbers'
import { Swatch } from '../../shared/ui/swatch'
import type { Judging } from '../../tasktypes'
import { type ClassRow, classRows } from './evaluation'
import { FigureText } from './figure-text'
import { ErrorsLinks } from './outcomes/errors-links'
import type { JsonRecord } from './reading'
import { SortHeading } from '../../shared/lists/sort-heading'
import { type Order, sorted, turned } from '../../shared/lists/sorting'

function valueOf(row: ClassRow, by: string): number | string | null {
  if (by === 'name') return row.name
  return by === 'support' || by === 'threshold' ? row[by] : (row.figures[by]?.value ?? null)
}

interface ClassTableProps {
  metrics: JsonRecord
  classes: string[]
  judging: Judging
  /** Whose figures they are. */
  model: string
  version: number
}

/** How well each class is found; the worst by its last figure first. */
export function ClassTable({ metrics, classes, judging: { classFigures, objects }, model, version }: ClassTableProps) {
  const [order, setOrder] = useState<Order>({ by: classFigures.at(-1)?.name ?? 'name', down: false })
  const names = classFigures.map(({ name }) => name)
  const found = classRows(metrics, classes, names)
  const rows = sorted(found, (row) => valueOf(row, order.by), order.down)
  const bounded = found.some(({ threshold }) => threshold !== null)
  const headings = [
    ['name', 'Class'] as const,
    ...classFigures.map(({ name, title }) => [name, title] as const),
    ...(bounded ? [['threshold', objects ? 'Threshold' : 'Named from'] as const] : []),
    ['support', objects ? 'Objects' : 'Support'] as const,
  ]
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
        <table className="table tight dense">
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
                  <span className="row">
                    <Swatch classes={classes} name={row.name} />
                    {row.name}
                  </span>
                </th>
                {names.map((name) => (
                  <td key={name} className="number">
                    <FigureText figure={row.figures[name]} />
                  </td>
                ))}
                {bounded && <td className="number">{row.threshold === null ? '–' : percent(row.threshold)}</td>}
                <td className="number">{row.support === null ? '–' : count(row.support)}</td>
                <td>
                  <ErrorsLinks model={model} version={version} about={{ class: row.name }} name={row.name} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
