import type { TaskName } from '../shared/api/types'
import { classification } from './classification'
import { detection } from './detection'
import { multilabel } from './multilabel'
import { segmentation } from './segmentation'
import type { TaskType } from './task-type'

export type { AnswerForm, FigureName, Judging, TaskType } from './task-type'

/** By the name that the API gives each, in the order people are offered them. */
export const taskTypes: Record<TaskName, TaskType> = { classification, multilabel, detection, segmentation }

/** The one with this name; of a name that is not known here, one class for each image. */
export function taskTypeOf(name: string): TaskType {
  return Object.hasOwn(taskTypes, name) ? taskTypes[name as TaskName] : classification
}

/** Those whose label no folder can be leave out what comes in folders. */
export function offeredFor(inFolders: boolean): [TaskName, TaskType][] {
  const all = Object.entries(taskTypes) as [TaskName, TaskType][]
  return all.filter(([, { fromFolders }]) => fromFolders || !inFolders)
}

/** What files are likely to say: folders name one class, annotation files without folders draw objects. */
export function likelyTask({ folders, annotations }: { folders: boolean; annotations: boolean }): TaskName {
  return annotations && !folders ? 'detection' : 'classification'
}
