import { plural } from '../../shared/format/numbers'
import { decisions, useDecisions } from './decisions-app'

/** Whether the server has every decision; refused ones stay here until somebody has dealt with them. */
export function SaveState({ onOpen }: { onOpen: (review: number) => void }) {
  const { entries, held } = useDecisions()
  const waiting = entries.filter(({ refused }) => refused === null).length
  const refused = entries.filter((entry) => entry.refused !== null)
  return (
    <div className="stack save-state">
      {refused.map(({ id, review, words, refused: why }) => (
        <p key={id} className="row form-fault" role="alert">
          <span className="grow">
            Not saved – {words}. {why}
          </span>
          <button type="button" className="button little" onClick={() => onOpen(review)}>
            Show it
          </button>
          <button type="button" className="button little" onClick={() => decisions.forget(id)}>
            Drop it
          </button>
        </p>
      ))}
      <span className="quiet small" role="status">
        {waiting === 0 && (refused.length === 0 ? 'All decisions saved' : 'All other decisions saved')}
        {waiting > 0 && !held && `Saving ${plural(waiting, 'decision')}…`}
        {waiting > 0 && held && `Offline — ${plural(waiting, 'decision')} kept on this computer, retrying`}
      </span>
    </div>
  )
}
