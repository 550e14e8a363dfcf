import type { Queue } from '../../shared/api/types'
import type { SendOutcome } from './outbox'

/** What an outcome tells of how far its queue is; null for one that tells nothing. */
export function progressOf(outcome: SendOutcome): Pick<Queue, 'counts' | 'state'> | null {
  switch (outcome.kind) {
    case 'saved':
      return outcome.receipt?.queue ?? null
    case 'undone':
      return { counts: outcome.task.counts, state: 'open' }
    case 'page':
      return outcome.results.findLast(({ receipt }) => receipt)?.receipt?.queue ?? null
    default:
      return null
  }
}

/** Whether nobody has anything to answer in a queue any more. */
export function isComplete({ state, counts }: Pick<Queue, 'counts' | 'state'>): boolean {
  return state !== 'open' || counts.todo + counts.leased === 0
}
