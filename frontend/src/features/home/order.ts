import type { Queue } from '../../shared/api/types'
import { freeIn, leftIn } from '../../shared/queues/left'
import { byUrgency } from '../../shared/queues/urgency'

/** Open queues with something left that are for this person: the most urgent first, of those the ones they worked in last,
 * then the fullest; last those that others hold whole. */
export function toLabel(queues: readonly Queue[]): Queue[] {
  const open = queues.filter((queue) => queue.state === 'open' && leftIn(queue) > 0 && queue.for_me)
  return open.sort((a, b) => Number(freeIn(b) > 0) - Number(freeIn(a) > 0) || byUrgency(a, b) || b.mine.today - a.mine.today || b.mine.total - a.mine.total || freeIn(b) - freeIn(a))
}

/** Seconds until a queue is done at a person's pace; null while that is not known. */
export function secondsLeft(queue: Queue): number | null {
  const pace = queue.mine.rate_per_hour
  return pace === 0 ? null : (leftIn(queue) / pace) * 3_600
}
