import type { Carried } from '../../../shared/api/types'

/** The id, the track and the attributes of the selected shape, to be read. */
export function CarriedFacts({ carried: { id, track, attributes = {} } }: { carried: Carried }) {
  const named: [string, string | undefined][] = [
    ['id', id],
    ['track', track],
  ]
  const rows = [...named.filter(([, value]) => value !== undefined), ...Object.entries(attributes)]
  return (
    <dl className="carried-facts small">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt className="quiet">{name}</dt>
          <dd>{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
