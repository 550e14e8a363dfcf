import type { LabelValue, Queue } from '../shared/api/types'

/** What an answer is: one class, several, or shapes. */
export type AnswerForm = 'class' | 'classes' | 'shapes'

/** A figure of an evaluation: its name in the API, and what people read. */
export interface FigureName {
  name: string
  title: string
  /** As a sentence or a column has it, where that is shorter than the title in lower case. */
  short?: string
  lowerIsBetter?: true
}

/** How models are judged. */
export interface Judging {
  /** What curves show and gates go by; the higher, the better, and 1 at most. */
  headline: string
  /** The share of samples that are told right in every part. */
  rightShare: string
  /** Of the whole test split, in the order of the page. */
  figures: readonly FigureName[]
  /** Those that are told of a slice. */
  sliceFigures: readonly string[]
  /** Of each class, the one that tables are sorted by last. */
  classFigures: readonly FigureName[]
  /** A sample, or an object, has one class, and another that it is taken for. */
  confusion: boolean
  /** Objects are counted, not samples: they may be missed, and seen where none is. */
  objects?: true
  /** What is missed, and what is said wrongly, of a class or of all. */
  errors: Record<'missed' | 'wrong', (name: string | null) => string>
}

/** What is asked of each image of a dataset, as people see it. */
export interface TaskType {
  title: string
  /** What is asked, in a few words. */
  words: string
  answer: AnswerForm
  /** The answer that none of the classes is there; null where one class has to be named. */
  nothing: LabelValue | null
  /** The kinds of queue that ask for it, the usual one first. */
  editors: [Queue['kind'], ...Queue['kind'][]]
  /** Whether the folder of an image may be its label. */
  fromFolders: boolean
  /** What is counted by class. */
  counted: string
  /** Null where no model is trained yet. */
  judging: Judging | null
  /** What can learn it in a back-test: a probe over a model's embeddings, trainings, or nothing yet. */
  replays: readonly ('probe' | 'train')[]
  /** Of what in an image strategies bring several scores into one; null where it has one. */
  scoredParts: 'classes' | 'boxes' | null
}
