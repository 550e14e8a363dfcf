import { Link } from '@tanstack/react-router'

import type { Queue } from '../../shared/api/types'
import { count, plural, wait } from '../../shared/format/numbers'
import { useNow } from '../../shared/live/use-now'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { leftIn } from '../../shared/queues/left'
import type { LabelSessionState } from './label-session'
import { useOutbox } from './outbox-app'

interface NothingNowProps {
  fill: () => void
  state: Pick<LabelSessionState, 'phase' | 'error' | 'emptiness'>
  queue: Queue
}

/** Why there is no image on the stage, and when one will be. */
export function NothingNow({ fill, state, queue }: NothingNowProps) {
  const now = useNow()
  const { waiting } = useOutbox()
  if (!queue.for_me) {
    return (
      <div className="page">
        <Empty
          action={
            <Link to="/label" className="button primary">
              Other queues
            </Link>
          }
        >
          This queue is assigned to {queue.assignees.join(', ')}. Ask a reviewer to add you.
        </Empty>
      </div>
    )
  }
  if (state.phase === 'failed') {
    return (
      <div className="page">
        <Failure
          what="The next images could not be loaded"
          error={state.error}
          safe="Your labels are kept on this computer until the server has them."
          retry={fill}
        />
      </div>
    )
  }
  if (state.phase !== 'empty' || !state.emptiness) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={480} />
      </div>
    )
  }
  const { leased, nextFrees, at } = state.emptiness
  return (
    <div className="page">
      <Empty
        action={
          <span className="row">
            <button type="button" className="button primary" onClick={fill}>
              Look again
            </button>
            <Link to="/label" className="button">
              Other queues
            </Link>
          </span>
        }
      >
        {leased > 0
          ? `${count(leased)} leased by others${nextFrees === null ? '' : `, next frees in ${wait(nextFrees - (now - at) / 1_000)}`}.`
          : nothingLeft(waiting, queue)}
      </Empty>
    </div>
  )
}

/** `saving` answers are on their way, `waiting` images have my answer and want another person's. */
function nothingLeft(saving: number, queue: Queue): string {
  const { waiting } = queue.mine
  if (saving > 0) return 'Nothing is left for you in this queue; your last answers are being saved.'
  if (waiting > 0) return `You have answered everything here. ${plural(waiting, 'image waits', 'images wait')} for answers from others.`
  if (leftIn(queue) === 0) return `${plural(queue.counts.total, 'image is', 'images are')} answered.`
  return 'Nothing is left for you in this queue just now.'
}
