import { useState } from 'react'

import type { Queue } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { Dialog } from '../../shared/ui/dialog'
import { MarkSwatch } from '../../shared/ui/swatch'
import type { LabelSession, LabelSessionState } from './label-session'
import { markOf } from './queue-kind'
import { namedClasses, valueWords } from './values'

interface AnswersDialogProps {
  session: LabelSession
  state: LabelSessionState
  queue: Queue
  onClose: () => void
}

/** A person's own answers in this queue, the newest first: one of them is shown again to be corrected. */
export function AnswersDialog({ session, state, queue, onClose }: AnswersDialogProps) {
  const [isReading, setReading] = useState(false)
  const [isAll, setAll] = useState(false)
  const answers = state.past.toReversed()
  const readMore = async () => {
    const before = session.snapshot().past.length
    setReading(true)
    await session.readEarlier()
    setReading(false)
    setAll(session.snapshot().past.length === before)
  }
  return (
    <Dialog title={`Your answers in ${queue.name}`} drawer onClose={onClose}>
      <p className="quiet small">{plural(answers.length, 'answer')}, the newest first. Choose one to correct it; afterwards you are back at the image you were at.</p>
      <ol className="own-answers">
        {answers.map((past, place) => {
          const first = past.chosen ? namedClasses(past.chosen).at(0) : undefined
          return (
            <li key={past.entry}>
              <button
                type="button"
                className="button plain"
                onClick={() => {
                  session.lookAt(place + 1)
                  onClose()
                }}
              >
                <img src={past.task.sample.thumb} width={40} height={40} alt="" className="pixels" />
                {first !== undefined && <MarkSwatch {...markOf(queue.schema, first)} />}
                <span className="cut">{valueWords(past.chosen)}</span>
                <span className="quiet small cut">{past.task.sample.key}</span>
              </button>
            </li>
          )
        })}
      </ol>
      {!isAll && (
        <button type="button" className="button" disabled={isReading} onClick={() => void readMore()}>
          {isReading ? 'Reading…' : 'Show earlier ones'}
        </button>
      )}
    </Dialog>
  )
}
