import type { TaskType } from '../task-type'

export const classification: TaskType = {
  title: 'One class',
  words: 'one class for each image',
  answer: 'class',
  nothing: null,
  editors: ['classify', 'grid'],
  fromFolders: true,
  counted: 'Samples',
  judging: {
    headline: 'accuracy',
    rightShare: 'accuracy',
    figures: [
      { name: 'accuracy', title: 'Accuracy' },
      { name: 'top5', title: 'Top 5' },
      { name: 'macro_f1', title: 'Macro F1' },
      { name: 'loss', title: 'Loss', lowerIsBetter: true },
      { name: 'ece', title: 'Calibration error', lowerIsBetter: true },
    ],
    sliceFigures: ['accuracy', 'macro_f1'],
    classFigures: [
      { name: 'precision', title: 'Precision' },
      { name: 'recall', title: 'Recall' },
      { name: 'f1', title: 'F1' },
    ],
    confusion: true,
    errors: {
      missed: (name) => (name === null ? 'samples told wrong' : `${name} taken for another class`),
      wrong: (name) => (name === null ? 'samples told wrong' : `another class taken for ${name}`),
    },
  },
  replays: ['probe', 'train'],
  scoredParts: null,
}
