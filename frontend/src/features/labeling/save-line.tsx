import { Chip } from '../../shared/ui/chip'
import { plural } from '../../shared/format/numbers'
import { outbox, useOutbox } from './outbox-app'
import type { OutboxState } from './outbox'

/** Where the labels are, in one line. */
export function saveWords({ waiting, held, broken }: OutboxState): { tone: 'ok' | 'warn' | 'bad' | 'plain'; text: string } {
  if (broken !== null) return { tone: 'bad', text: broken }
  if (waiting === 0) return { tone: 'ok', text: 'All saved' }
  const kept = `${plural(waiting, 'label')} kept on this computer`
  if (held === 'offline') return { tone: 'warn', text: `Offline — ${kept}, retrying` }
  if (held === 'signed_out') return { tone: 'warn', text: `Signed out — ${kept}` }
  return { tone: 'plain', text: `Saving ${waiting}…` }
}

export function SaveLine() {
  const state = useOutbox()
  const { tone, text } = saveWords(state)
  const refused = state.refused.at(0)
  return (
    <span className="row" role="status" aria-live="polite">
      <Chip tone={tone}>{text}</Chip>
      {state.others.map(({ by, count }) => (
        <Chip key={by} tone="warn">
          {plural(count, 'label')} of {by} kept on this computer until {by} signs in
        </Chip>
      ))}
      {refused && (
        <>
          <Chip tone="bad">
            {plural(state.refused.length, 'label')} refused: {refused.refused}
          </Chip>
          <button
            type="button"
            className="button little"
            onClick={() => {
              for (const entry of state.refused) void outbox.discard(entry.seq)
            }}
          >
            Discard
          </button>
        </>
      )}
    </span>
  )
}
