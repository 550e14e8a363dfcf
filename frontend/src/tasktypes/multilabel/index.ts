import type { TaskType } from '../task-type'

export const multilabel: TaskType = {
  title: 'Several classes',
  words: 'any number of classes for each image',
  answer: 'classes',
  nothing: { classes: [] },
  editors: ['classify', 'grid'],
  fromFolders: false,
  counted: 'Samples',
  judging: {
    headline: 'map',
    rightShare: 'exact_match',
    figures: [
      { name: 'map', title: 'Mean average precision', short: 'mAP' },
      { name: 'micro_f1', title: 'Micro F1' },
      { name: 'macro_f1', title: 'Macro F1' },
      { name: 'exact_match', title: 'Exact match' },
      { name: 'loss', title: 'Loss', lowerIsBetter: true },
      { name: 'ece', title: 'Calibration error', lowerIsBetter: true },
    ],
    sliceFigures: ['map', 'macro_f1', 'exact_match'],
    classFigures: [
      { name: 'ap', title: 'Average precision' },
      { name: 'precision', title: 'Precision' },
      { name: 'recall', title: 'Recall' },
      { name: 'f1', title: 'F1' },
    ],
    confusion: false,
    errors: {
      missed: (name) => `${name ?? 'classes'} not named`,
      wrong: (name) => `${name ?? 'classes'} named wrongly`,
    },
  },
  replays: [],
  scoredParts: 'classes',
}
