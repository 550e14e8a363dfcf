import type { Queue } from '../../shared/api/types'
import { freeIn, leftIn } from '../../shared/queues/left'

/** Open queues with something left: those one worked in last first, then the fullest; last those that others hold whole. */
export function toLabel(queues: readonly Queue[]): Queue[] {
  const open = queues.filter((queue) => queue.state === 'open' && leftIn(queue) > 0)
  return open.sort((a, b) => Number(freeIn(b) > 0) - Number(freeIn(a) > 0) || b.mine.today - a.mine.today || b.mine.total - a.mine.total || freeIn(b) - freeIn(a))
}

/** Seconds until a queue is done at a person's pace; null while that is not known. */
export function secondsLeft(queue: Queue): number | null {
  const pace = queue.mine.rate_per_hour
  return pace === 0 ? null : (leftIn(queue) / pace) * 3_600
}
