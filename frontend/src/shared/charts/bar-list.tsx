import './charts.css'

import type { ReactNode } from 'react'

import { count } from '../format/numbers'

export interface Bar {
  name: string
  count: number
  /** More to say of it, behind the number. */
  note?: string
  mark?: ReactNode
}

interface BarListProps<B extends Bar> {
  title: string
  hint?: string
  bars: readonly B[]
  /** Leads from a bar to what it counts. */
  link: (bar: B, children: ReactNode) => ReactNode
}

/** Counts as bars, one below the other; the number stands beside each. */
export function BarList<B extends Bar>({ title, hint, bars, link }: BarListProps<B>) {
  const most = Math.max(1, ...bars.map((bar) => bar.count))
  return (
    <section className="panel" aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
      </div>
      <div className="panel-body">
        {hint !== undefined && <p className="quiet small">{hint}</p>}
        {bars.length === 0 && <p className="quiet">None.</p>}
        <ul className="bar-list">
          {bars.map((bar) => (
            <li key={bar.name}>
              {link(
                bar,
                <>
                  <span className="bar-name">
                    {bar.mark}
                    <span className="cut" title={bar.name}>
                      {bar.name}
                    </span>
                  </span>
                  <span className="bar-track" aria-hidden>
                    {bar.count > 0 && <span style={{ width: `${(bar.count / most) * 100}%` }} />}
                  </span>
                  <span className="bar-count">
                    {count(bar.count)}
                    {bar.note !== undefined && <span className="quiet small"> {bar.note}</span>}
                  </span>
                </>,
              )}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
