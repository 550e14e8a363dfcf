import type { ReactNode } from 'react'

/** A page's most important figures in one row; what is null is left out. */
export function Headline({ label, figures }: { label: string; figures: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="panel headline" aria-label={label}>
      {figures
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt className="quiet small">{name}</dt>
            <dd className="headline-value">{value}</dd>
          </div>
        ))}
    </dl>
  )
}
