import type { TaskType } from '../task-type'

export const detection: TaskType = {
  title: 'Boxes',
  words: 'boxes around objects',
  answer: 'shapes',
  nothing: { boxes: [] },
  editors: ['boxes', 'polygons'],
  fromFolders: true,
  counted: 'Boxes',
  judging: null,
  replays: false,
  scoresByClass: false,
}
