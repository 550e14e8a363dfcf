import type { Queue } from '../../shared/api/types'

export type QueueKind = 'classify' | 'grid' | 'boxes' | 'polygons'

/** What a queue asks for; an older server names no kind, there the dataset's task decides. */
export function kindOf(queue: Pick<Queue, 'task'> & { kind?: QueueKind }): QueueKind {
  return queue.kind ?? (queue.task === 'classification' ? 'classify' : 'boxes')
}

/** Whether several classes may be said of one image. */
export function isSeveral(queue: Queue & { schema?: { multi_label?: boolean } }): boolean {
  return queue.schema?.multi_label === true
}
