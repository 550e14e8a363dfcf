import type { TaskType } from '../task-type'

export const segmentation: TaskType = {
  title: 'Polygons',
  words: 'outlines of objects',
  answer: 'shapes',
  nothing: { boxes: [] },
  editors: ['polygons', 'boxes'],
  fromFolders: true,
  counted: 'Objects',
  judging: null,
  replays: [],
  scoredParts: null,
}
