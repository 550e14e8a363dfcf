import { Link } from '@tanstack/react-router'

import type { QueueCounts } from '../../shared/api/types'
import { count, wait } from '../../shared/format/numbers'
import { useNow } from '../../shared/live/use-now'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import type { DeskState } from './desk'

interface NothingNowProps {
  fill: () => void
  state: Pick<DeskState, 'phase' | 'error' | 'emptiness'>
  counts: QueueCounts
}

/** Why there is no image on the stage, and when one will be. */
export function NothingNow({ fill, state, counts }: NothingNowProps) {
  const now = useNow()
  if (state.phase === 'failed') {
    return (
      <div className="page">
        <Failure
          what="No further images could be fetched"
          error={state.error}
          safe="What you labelled is kept on this computer until the server has it."
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
  const others = leased || counts.leased
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
        {others > 0
          ? `${count(others)} leased by others${nextFrees === null ? '' : `, next frees in ${wait(nextFrees - (now - at) / 1_000)}`}.`
          : 'Nothing is left for you in this queue; what you answered last is being saved.'}
      </Empty>
    </div>
  )
}
