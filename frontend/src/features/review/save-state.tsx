import { plural } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import type { DecisionsState } from './decisions'
import { decisions, useDecisions } from './decisions-app'

/** Whether the server has every decision; refused ones stay here until somebody has dealt with them. */
export function SaveState({ onOpen }: { onOpen: (review: number) => void }) {
  const { entries, held, others } = useDecisions()
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
        {waiting > 0 && waitingWords(waiting, held)}
      </span>
      <OfOthers others={others} />
    </div>
  )
}

/** The same for the pages that no review stands on. */
export function DecisionsLine() {
  const { entries, held, others } = useDecisions()
  const waiting = entries.filter(({ refused }) => refused === null).length
  const refused = entries.length - waiting
  return (
    <span className="row" role="status">
      {waiting > 0 && <Chip tone={held === null ? 'plain' : 'warn'}>{waitingWords(waiting, held)}</Chip>}
      {refused > 0 && <Chip tone="bad">{plural(refused, 'decision')} not saved: open a review to see why</Chip>}
      <OfOthers others={others} />
    </span>
  )
}

function waitingWords(waiting: number, held: DecisionsState['held']): string {
  const decided = plural(waiting, 'decision')
  if (held === null) return `Saving ${decided}…`
  return held === 'offline' ? `Offline — ${decided} kept on this computer, retrying` : `Signed out — ${decided} kept on this computer`
}

function OfOthers({ others }: Pick<DecisionsState, 'others'>) {
  return others.map(({ by, count }) => (
    <Chip key={by} tone="warn">
      {plural(count, 'decision')} of {by} kept on this computer until {by} signs in
    </Chip>
  ))
}
