import type { ReactNode } from 'react'

/** A page's most important figures in one row; what is null is left out, and the row where nothing is left. */
export function Headline({ label, figures }: { label: string; figures: readonly (readonly [name: string, value: ReactNode])[] }) {
  const shown = figures.filter(([, value]) => value !== null)
  if (shown.length === 0) return null
  return (
    <dl className="panel headline" aria-label={label}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt className="quiet small">{name}</dt>
          <dd className="headline-value">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
