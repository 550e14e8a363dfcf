import type { LabelValue, TaskFacts } from '../../shared/api/types'
import { type HeldLease, secondsLeft } from './lease'

export interface LeasedTask {
  task: TaskFacts
  lease: HeldLease
}

/** A task that was answered or skipped (`chosen` null), on this visit or, as the server remembers it, on one before. */
export interface AnsweredTask extends LeasedTask {
  chosen: LabelValue | null
  entry: string
}

export function isAnswered(leasedTask: LeasedTask): leasedTask is AnsweredTask {
  return 'entry' in leasedTask
}

/** What a place in the session is known by: an answer that is corrected is another one than that of the present image. */
export function placeOf(leasedTask: LeasedTask | AnsweredTask): string {
  return `${leasedTask.task.id}.${isAnswered(leasedTask) ? leasedTask.entry : 'now'}`
}

export function leaseSeconds(leasedTask: LeasedTask, now: number): number {
  return secondsLeft(leasedTask.lease, now)
}
