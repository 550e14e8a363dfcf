import type { Queue } from '../api/types'

/** Tasks of a queue that this person could still answer: not over, and not waiting for what others say. */
export function leftIn({ counts, mine }: Pick<Queue, 'counts' | 'mine'>): number {
  return Math.max(0, counts.total - counts.done - counts.skipped - mine.waiting)
}
