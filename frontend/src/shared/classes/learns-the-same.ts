/** What a model is asked, or what labels answer: the task, and the classes in their order. */
interface Asked {
  task: string
  classes: readonly string[]
}

/** A model learns from labels, and suggests them, where both are asked the same. */
export function learnsTheSame(one: Asked, other: Asked): boolean {
  return one.task === other.task && one.classes.length === other.classes.length && one.classes.every((name, at) => name === other.classes[at])
}
