import type { ReactNode } from 'react'

import type { Queue } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { KeyCap } from '../../shared/keys/key-cap'
import { showKeys } from '../../shared/keys/present'
import { answeredIn, leftIn } from '../../shared/queues/left'
import { Progress } from '../../shared/ui/progress'

interface WorkspaceHeadProps {
  queue: Queue
  /** Controls of the workspace, between the progress and the help. */
  children?: ReactNode
}

/** What is being labelled, how far it is, how fast it goes. */
export function WorkspaceHead({ queue, children }: WorkspaceHeadProps) {
  const { counts, mine, rate_per_hour: rate } = queue
  const left = leftIn(queue)
  const answered = answeredIn(queue)
  return (
    <header className="workspace-head">
      <h1 className="cut">{queue.name}</h1>
      <span className="quiet cut">{queue.dataset}</span>
      <span className="head-progress">
        <Progress done={answered} total={counts.total} label="Answered" />
      </span>
      <span>
        {count(answered)}/{count(counts.total)}
        {counts.skipped > 0 && <span className="quiet"> · {plural(counts.skipped, 'skip')}</span>}
        {mine.waiting > 0 && <span className="quiet"> · {count(mine.waiting)} wait for others</span>}
        {rate > 0 && (
          <span className="quiet">
            {' '}
            · {count(rate)}/h{left > 0 && ` · ${count(Math.ceil((left / rate) * 60))} min left`}
          </span>
        )}
      </span>
      <span className="grow" />
      {children}
      <button type="button" className="button keys-only" onClick={() => showKeys()}>
        <KeyCap scope="global" action="help" /> Keys
      </button>
    </header>
  )
}
