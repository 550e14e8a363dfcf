import type { Dataset } from '../api/types'

/** What a model is asked, or what labels answer: the task, and the classes in their order; and whose they are. */
interface Asked {
  project: string
  task: string
  classes: readonly string[]
}

/** A model learns from labels of its project, and suggests them, where both are asked the same. */
export function learnsTheSame(one: Asked, other: Asked): boolean {
  return one.project === other.project && one.task === other.task && one.classes.length === other.classes.length && one.classes.every((name, at) => name === other.classes[at])
}

/** Why a model can't be trained on a dataset, after the dataset's name; null where it can. */
export function refusalFor(model: Asked, dataset: Asked & Pick<Dataset, 'head'>): string | null {
  if (model.project !== dataset.project) return `is in the project ${dataset.project}, the model in ${model.project}`
  if (!learnsTheSame(model, dataset)) return `has ${model.task === dataset.task ? 'other classes' : 'another task'} than the model`
  return dataset.head === null ? 'has no samples yet' : null
}
