import type { AuditEvent } from '../../shared/api/types'
import { changesOf, cut, type FieldChange, isLong } from './changes'

/** What an event changed, a line for each field. */
export function ChangeCell({ event }: { event: AuditEvent }) {
  const changes = changesOf(event)
  if (changes.length === 0) return '–'
  return changes.map((change) => (isLong(change.before) || isLong(change.after) ? <LongChange key={change.field} {...change} /> : <Line key={change.field} {...change} />))
}

function Line(change: FieldChange) {
  return (
    <p>
      <Short {...change} />
    </p>
  )
}

function LongChange(change: FieldChange) {
  return (
    <details>
      <summary>
        <Short {...change} />
      </summary>
      <dl>
        <dt className="quiet small">before</dt>
        <dd>{change.before ?? <Nothing />}</dd>
        <dt className="quiet small">after</dt>
        <dd>{change.after ?? <Nothing />}</dd>
      </dl>
    </details>
  )
}

function Short({ field, before, after, isNew }: FieldChange) {
  return (
    <>
      <span className="quiet">{field}</span> {!isNew && <>{before === null ? <Nothing /> : cut(before)} → </>}
      {after === null ? <Nothing /> : cut(after)}
    </>
  )
}

function Nothing() {
  return <span className="quiet">none</span>
}
