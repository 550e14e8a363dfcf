import type { Queue } from '../api/types'

type Figures = Pick<Queue, 'counts' | 'mine'>

/** Tasks of a queue that this person could still answer: not over, and not waiting for what others say. */
export function leftIn({ counts, mine }: Figures): number {
  return Math.max(0, counts.total - counts.done - counts.skipped - mine.waiting)
}

/** Of those the tasks that nobody else holds just now. */
export function freeIn({ counts, mine }: Figures): number {
  return Math.max(0, leftIn({ counts, mine }) - mine.held)
}

/** How far a queue is for this person: where several answer each image, an image they answered is behind them already. */
export function answeredIn({ counts, mine }: Figures): number {
  return Math.min(counts.total, counts.done + mine.waiting)
}
