import type { ReactNode } from 'react'

import { signed } from '../format/numbers'

interface DeltaBarsProps {
  title: string
  /** What each name gained, or lost where it is negative. */
  deltas: readonly (readonly [name: string, delta: number])[]
  mark?: (name: string) => ReactNode
}

/** Gains to the right of a middle line, losses to the left; the number beside says it too. */
export function DeltaBars({ title, deltas, mark }: DeltaBarsProps) {
  const most = Math.max(1, ...deltas.map(([, delta]) => Math.abs(delta)))
  return (
    <section aria-label={title}>
      <h2 className="delta-title">{title}</h2>
      {deltas.length === 0 && <p className="quiet small">No difference.</p>}
      <ul>
        {deltas.map(([name, delta]) => (
          <li key={name} className="delta">
            {mark?.(name)}
            <span className="delta-name cut" title={name}>
              {name}
            </span>
            <span className="delta-track" aria-hidden>
              <span className={delta < 0 ? 'loss' : 'gain'} style={{ width: `${(Math.abs(delta) / most) * 50}%` }} />
            </span>
            <span className="delta-number">{signed(delta)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
