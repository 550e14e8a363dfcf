import type { Queue } from '../api/types'

/** Tasks of a queue that nobody has answered or skipped. */
export function leftIn({ counts }: Pick<Queue, 'counts'>): number {
  return Math.max(0, counts.total - counts.done - counts.skipped)
}
