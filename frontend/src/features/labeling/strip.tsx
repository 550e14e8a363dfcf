import { useState } from 'react'

import type { Queue } from '../../shared/api/types'
import { later } from '../../shared/ui/later'
import type { LabelSession, LabelSessionState } from './label-session'
import { MarkSwatch } from '../../shared/ui/swatch'
import { markOf } from './queue-kind'
import { namedClasses, valueWords } from './values'

const AnswersDialog = later(async () => (await import('./answers-dialog')).AnswersDialog)

const shown = 6

interface StripProps {
  session: LabelSession
  state: LabelSessionState
  queue: Queue
}

/** The last six answers, and all of them in a list; a click goes back to one to correct it. */
export function Strip({ session, state, queue }: StripProps) {
  const [all, setAll] = useState(false)
  const last = state.past.slice(-shown)
  if (last.length === 0) return <span className="quiet small">Your last six answers appear here.</span>
  return (
    <>
      <ol className="strip" aria-label="Last answers">
        {last.map((past, index) => {
          const back = last.length - index
          const said = valueWords(past.chosen)
          const first = past.chosen ? namedClasses(past.chosen).at(0) : undefined
          return (
            <li key={past.entry}>
              <button
                type="button"
                aria-current={state.lookback === back ? 'true' : undefined}
                onClick={() => session.lookAt(back)}
              >
                <img src={past.task.sample.thumb} width={28} height={28} alt={`Look again at ${past.task.sample.key}:`} className="pixels" />
                {first !== undefined && <MarkSwatch {...markOf(queue.schema, first)} />}
                <span className="cut">{said}</span>
              </button>
            </li>
          )
        })}
        {state.lookback > 0 && (
          <li>
            <button type="button" onClick={() => session.lookAt(0)}>
              Back to the next image
            </button>
          </li>
        )}
      </ol>
      <button type="button" className="button little" onClick={() => setAll(true)}>
        All my answers
      </button>
      {all && <AnswersDialog session={session} state={state} queue={queue} onClose={() => setAll(false)} />}
    </>
  )
}
