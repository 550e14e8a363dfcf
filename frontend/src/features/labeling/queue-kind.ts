import type { LabelClass, QueueSchema, Queue } from '../../shared/api/types'
import { classMark, type ClassMark } from '../../shared/format/class-colours'
import { taskTypeOf } from '../../tasktypes'

/** Whether several classes may be said of one image. */
export function isSeveral(queue: Queue): boolean {
  return taskTypeOf(queue.task).answer === 'classes'
}

/** The classes that can still be answered, in the schema's order. */
export function offeredClasses({ schema, classes }: Queue): LabelClass[] {
  return schema.classes.filter(({ name, archived }) => !archived && classes.includes(name))
}

/** The look of a class; of one that the schema no longer knows, the look that its place would have. */
export function markOf({ classes }: QueueSchema, name: string): ClassMark {
  const known = classes.find((each) => each.name === name)
  return known ? { colour: known.colour, pattern: known.dash } : classMark([name], name)
}
