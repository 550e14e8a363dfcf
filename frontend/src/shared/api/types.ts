/** Names for the documents of the REST API. Their shapes are generated from it (`make schema`), never written by hand. */

import type { components, operations } from './schema'

type Documents = components['schemas']

/** Rows have numbers; an address may name some of them instead. */
export type Id = number | string

export type Commit = Documents['Commit']
export type Curve = Documents['Curve']
export type CurvePoint = Documents['CurvePoint']
export type Dataset = Documents['Dataset']
export type Facets = Documents['Facets']
export type Job = Documents['Job']
export type JobDetail = Documents['LiveJob']
export type Shard = Documents['Shard']
export type Workers = Documents['Workers']
export type Machine = Documents['Machine']
export type WorkerProcess = Documents['Worker']
export type QueueDepth = Documents['QueueDepth']
export type QuarantineSummary = Documents['QuarantineSummary']
export type EmbeddingMap = Documents['Map']
export type NewMap = Documents['NewMapRequest']
export type ComparedRuns = Documents['ComparedRuns']
export type ComparedVersions = Documents['ComparedVersions']
export type ComparedMetric = Documents['ComparedMetric']
export type JobState = Documents['JobStateEnum']
export type Pipeline = Documents['Pipeline']
export type NewPipeline = Documents['NewPipelineRequest']
export type PipelineChanges = Documents['PatchedChangePipelineRequest']
export type Trigger = Documents['Trigger']
export type Stop = Documents['Stop']
export type Forecast = Documents['Forecast']
export type PipelineState = Documents['PipelineStateEnum']
export type Queue = Documents['Queue']
export type QueueCounts = Documents['QueueCounts']
export type NewQueue = Documents['NewQueueRequest']
export type QueueChanges = Documents['PatchedQueueChangeRequest']
export type Round = Documents['Round']
export type RoundState = Documents['RoundStateEnum']
export type Sample = Documents['Sample']
export type AnswerBody = Omit<Documents['AnswerRequest'], 'value'> & { value: LabelValue }
export type SkipBody = Documents['SkipRequest']
export type AnswerReceipt = Documents['Receipt']
export type Split = Documents['SplitEnum']
export type SampleFilter = Pick<NonNullable<operations['samples_facets']['parameters']['query']>, 'split' | 'label' | 'labelled' | 'q' | 'slice' | 'ids' | 'filter'>

export type Version = Documents['Version']
/** A tag or an alias. */
export type VersionName = Documents['Name']
export type Lineage = Documents['Lineage']
export type Diff = Documents['Diff']
export type DiffKind = Documents['KindsEnum']
export type Difference = Documents['Difference']

export type Model = Documents['Model']
export type ModelVersion = Documents['ModelVersion']
export type ModelVersionDetail = Documents['ModelVersionDetail']
export type Artifact = Documents['Artifact']
export type GateResult = Documents['GateResult']
export type Promotion = Documents['Promotion']
export type ImageAnswer = Documents['ImageAnswer']
export type Layer = Documents['Layer']
export type Run = Documents['Run']
export type Snapshot = Documents['Snapshot']
export type Point = Documents['Point']

export type StrategyFacts = Documents['Strategy']
export type MiningJob = Documents['MiningJob']
export type MiningJobDetail = Documents['MiningJobDetail']
export type NewMiningJob = Documents['NewMiningJobRequest']
export type Histogram = Documents['Histogram']
export type PickOfJob = Documents['Pick']
export type Explanation = Documents['Explanation']
export type Term = Documents['Term']
export type Quarantined = Documents['Quarantined']

export type Backtest = Documents['Backtest']
export type BacktestRow = Documents['BacktestRow']
export type NewBacktest = Documents['NewBacktestRequest']
export type Learner = Documents['Learner']

export type NearDuplicate = Documents['NearDuplicate']
export type Slice = Documents['Slice']
export type FilterVocabulary = Documents['Vocabulary']
export type FilterField = Documents['FilterField']
export type Statistics = Documents['Statistics']
export type Export = Documents['Export']
export type ExportFormat = Documents['ExportFormatEnum']

/** `application/problem+json`, which the schema does not repeat at each call. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  errors?: Record<string, string[]>
  /** Everything that was refused, where that refused all the rest too. */
  rejected?: { key: string; detail: string }[]
  /** What each gate said, where some of them refused a promotion. */
  gates?: GateResult[]
}

/** A label in the form that the dataset's task has (`catalog.labels` checks it). */
export interface ClassValue {
  class: string
}
/** Multi-label: in the schema's order; none of them is an answer too. */
export interface ClassesValue {
  classes: string[]
}
export type Attributes = Record<string, string | number | boolean | number[]>
/** What an object carries beside its class and its place. */
export interface Carried {
  attributes?: Attributes
  /** Once in a label. */
  id?: string
  track?: string
}
/** x1, y1, x2, y2 in px of the upright image. */
export interface BoxShape extends Carried {
  class: string
  box: [number, number, number, number]
}
export interface PolygonShape extends Carried {
  class: string
  points: [number, number][]
}
/** A region that is left out of training and figures; its class need not be the dataset's. */
export interface IgnoredRegion {
  box: [number, number, number, number]
  class?: string
  attributes?: Attributes
}
export interface ShapesValue {
  boxes: BoxShape[]
  /** Absent when there are none. */
  polygons?: PolygonShape[]
  /** Absent when there are none. */
  ignore?: IgnoredRegion[]
}
export type LabelValue = ClassValue | ClassesValue | ShapesValue

/** A model's guess at a class. */
export interface ClassSuggestion {
  class: string
  probability: number
  probabilities: Record<string, number>
  model: string
}
/** A model's guess at what is where. */
export interface ShapesSuggestion {
  boxes: (BoxShape & { score?: number })[]
  polygons?: (PolygonShape & { score?: number })[]
  ignore?: IgnoredRegion[]
  model: string
}
export type Suggestion = ClassSuggestion | ShapesSuggestion

/** Why mining picked a sample. */
export interface Why {
  strategy: string
  score: number | null
  rank: number | null
  of: number | null
  reason: string
  control: boolean
  neighbours: { key: string; thumb: string; label: string }[]
}

export type LabelSchema = Queue['schema']
export type LabelClass = LabelSchema['classes'][number]
/** A task of labelling. The schema requires nothing of a suggestion and a reason, because each task has other ones. */
export type LabelTask = Told<Documents['LabelingTask']>
/** A task that was taken back, with the counts of its queue. */
export type UndoneTask = Told<Documents['Undone']>
/** A task without its lease. */
export type TaskFacts = Omit<LabelTask, 'lease_until' | 'lease_token'>
/** A task as lists have it. */
export type ListedTask = Told<Documents['ListedTask']>
interface Said {
  suggestion: Suggestion | null
  why: Why | null
  answered: { value: LabelValue | null } | null
}
type Told<T> = Omit<T, keyof Said> & Said

/** What became of each answer of a page. */
export type PageResult = Documents['AnswerResult']
/** One of the answers that are sent together; a `value` of null is a skip. */
export type PageAnswer = Omit<Documents['OneAnswerRequest'], 'value'> & { value: LabelValue | null }
