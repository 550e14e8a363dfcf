import type { SchemaWithHistory } from '../../shared/classes/types'
import { changes, type Draft, draftOf, onTopOf } from './draft'

interface ConflictProps {
  /** What my draft began from. */
  base: SchemaWithHistory
  /** What is the newest now. */
  theirs: SchemaWithHistory
  mine: Draft
  /** The draft to go on with; null for theirs as it is. */
  onTake: (draft: Draft | null) => void
}

/** Somebody saved while this draft was open: what changed there, and the two ways on. */
export function Conflict({ base, theirs, mine, onTake }: ConflictProps) {
  const last = theirs.history.find(({ version }) => version === theirs.version)
  const said = changes(draftOf(base), draftOf(theirs))
  return (
    <section className="panel message bad" role="alert">
      <h2>
        {last?.author ?? 'Somebody'} saved version {theirs.version} meanwhile
      </h2>
      {last?.message && <p>“{last.message}”</p>}
      <ul>
        {said.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="quiet">Your changes are still here and nothing was overwritten.</p>
      <div className="row wrap">
        <button type="button" className="button primary" onClick={() => onTake(onTopOf(draftOf(theirs), draftOf(base), mine))}>
          Apply my changes to version {theirs.version}
        </button>
        <button type="button" className="button" onClick={() => onTake(null)}>
          Discard my changes and use version {theirs.version}
        </button>
      </div>
    </section>
  )
}
