import type { ReactNode } from 'react'

import type { Queue, QueueCounts } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { KeyCap } from '../../shared/keys/key-cap'
import { showKeys } from '../../shared/keys/present'
import { Progress } from '../../shared/ui/progress'
import type { DeskState } from './desk'

interface WorkspaceHeadProps {
  queue: Queue
  counts: QueueCounts
  /** Controls of the workspace, between the progress and the help. */
  children?: ReactNode
}

/** What is being labelled, how far it is, how fast it goes. */
export function WorkspaceHead({ queue, counts, children }: WorkspaceHeadProps) {
  const left = counts.total - counts.done - counts.skipped
  const rate = queue.rate_per_hour
  return (
    <header className="workspace-head">
      <h1 className="cut">{queue.name}</h1>
      <span className="quiet cut">{queue.dataset}</span>
      <span style={{ width: 160 }}>
        <Progress done={counts.done} total={counts.total} label="Answered" />
      </span>
      <span>
        {count(counts.done)}/{count(counts.total)}
        {counts.skipped > 0 && <span className="quiet"> · {plural(counts.skipped, 'skip')}</span>}
        {rate > 0 && (
          <span className="quiet">
            {' '}
            · {count(rate)}/h{left > 0 && ` · ${count(Math.ceil((left / rate) * 60))} min left`}
          </span>
        )}
      </span>
      <span className="grow" />
      {children}
      <button type="button" className="button" onClick={() => showKeys()}>
        <KeyCap scope="global" action="help" /> Keys
      </button>
    </header>
  )
}

/** The counts of the last saved answer, or the queue's own where those are further on. */
export function newestCounts(polled: QueueCounts, { counts }: Pick<DeskState, 'counts'>): QueueCounts {
  return counts && counts.done + counts.skipped > polled.done + polled.skipped ? counts : polled
}

export function isComplete(queue: Queue, counts: QueueCounts): boolean {
  return queue.state !== 'open' || (counts.todo === 0 && counts.leased === 0)
}
