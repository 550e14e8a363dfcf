/** Names for the documents of the REST API. Their shapes are generated from it (`make schema`), never written by hand. */

import type { Budget, Committee, Compose, Control, Explanation, LastTrigger, Spent, Stop, Stopped, Trigger } from './mining-types'
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
export type JobState = Documents['JobStateEnum']
export type Pipeline = Documents['Pipeline'] & PipelineMore
export type NewPipeline = Documents['NewPipelineRequest'] & PipelineSettings
export type PipelineState = Documents['PipelineStateEnum']
export type Queue = Documents['Queue']
export type QueueCounts = Documents['QueueCounts']
export type Round = Documents['Round'] & { trigger?: LastTrigger | null; stopped?: Stopped | null; control?: Control | null }
export type RoundState = Documents['RoundStateEnum']
export type Sample = Documents['Sample']
export type AnswerBody = Documents['AnswerRequest']
export type AnswerReceipt = Documents['Receipt']
export type Split = Documents['SplitEnum']
export type SampleFilter = Pick<NonNullable<operations['samples_facets']['parameters']['query']>, 'split' | 'label' | 'labelled' | 'q' | 'slice'>

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

export type MiningJob = Documents['MiningJob'] & { compose?: Compose | null; committee?: Committee | null; like?: Like | null; unlike?: Like | null; calibration?: Calibration | null; progress?: ScoringProgress | null; estimate?: Estimate | null }
export type NewMiningJob = Documents['NewMiningJobRequest'] & { compose?: Compose | null; committee?: Committee | null; like?: Like; unlike?: Like }
export type Histogram = Documents['Histogram'] & { score?: string | null; live?: boolean }
export type PickOfJob = Documents['Pick'] & { explanation?: Explanation | null }
export type StrategyFacts = Documents['Strategy']

export type NearDuplicate = Documents['NearDuplicate']
export type Slice = Documents['Slice']
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
  /** What each gate said, where some of them refused a promotion. */
  gates?: GateResult[]
}

/** A model's guess at a class. */
export interface Suggestion {
  class: string
  probability: number
  probabilities: Record<string, number>
  model: string
}

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

/** A task of classification. The schema requires nothing of a suggestion and a reason, because other tasks have other ones. */
export type LabelTask = Omit<Documents['LabelingTask'], 'suggestion' | 'why'> & { suggestion: Suggestion | null; why: Why | null }

export interface Like {
  keys?: string[]
  failures?: 'val' | 'test' | null
}

export interface Calibration {
  temperature: number
  ece_before: number
  ece_after: number
}

export interface ScoringProgress {
  shards_done: number
  shards: number
  images_per_second: number | null
  eta_seconds: number | null
  quarantined: number
}

export interface Estimate {
  accuracy: number | null
  low: number | null
  high: number | null
  lift: number | null
}

export interface Quarantined {
  md5: string
  code: string
  detail: string
  keys: string[]
}

export interface PipelineSettings {
  compose?: Compose | null
  committee?: Committee | null
  schedule?: string | null
  trigger?: Trigger | null
  budget?: Budget | null
  stop?: Stop | null
  warm_start?: boolean
  answers_per_task?: number
}

export interface PipelineMore extends PipelineSettings {
  schedule_words?: string | null
  next_run?: string | null
  spent?: Spent | null
  stopped?: Stopped | null
  last_trigger?: LastTrigger | null
  webhook_url?: string | null
}

export interface Forecast {
  pipeline: string
  target: number
  labels: number | null
  low: number | null
  high: number | null
  fits: { name: string; labels: number | null; rmse: number }[]
  points: { labels: number; accuracy: number }[]
}

export interface BacktestStrategy {
  name: string
  params?: Record<string, unknown>
}

export type Learner = { kind: 'probe'; model: string } | { kind: 'train'; architecture: string; config: Record<string, unknown> }

export interface NewBacktest {
  name?: string
  dataset: string
  version?: string
  learner: Learner
  strategies: (string | BacktestStrategy)[]
  seeds: number
  rounds: number
  count: number
  start: number
  target?: number
}

export interface Backtest {
  id: number
  name: string
  dataset: string
  version: number
  learner: Learner
  strategies: BacktestStrategy[]
  seeds: number
  rounds: number
  count: number
  start: number
  target: number | null
  job: Job
  created: string
  curves: { strategy: string; params: Record<string, unknown>; points: { labels: number; mean: number; low: number; high: number; n: number }[] }[]
  labels_to_target: { strategy: string; median: number | null; low: number | null; high: number | null; reached: number; seeds: number; saved: number | null }[]
  tests: { strategy: string; against: string; difference: number; low: number; high: number; p: number; wins: number; seeds: number }[]
  best: { strategy: string; reason: string } | null
}
