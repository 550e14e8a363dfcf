import type { Commit } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'

/** All that a commit did not take, by kind, with numbers. Files and objects are listed by themselves below it. */
export function PassedOver({ rows }: { rows: NonNullable<Commit['passed_over']> }) {
  if (rows.length === 0) return null
  return (
    <>
      <p className="form-fault">Not everything was taken. Passed over:</p>
      <ul className="file-list" aria-label="Passed over">
        {rows.map(({ code, what, count: number, first }) => (
          <li key={code + what}>
            {count(number)} × {what} {first && <span className="quiet">(the first: {first})</span>}
          </li>
        ))}
      </ul>
    </>
  )
}
