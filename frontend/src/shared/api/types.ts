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
export type Round = Documents['Round']
export type RoundState = Documents['RoundStateEnum']
export type Sample = Documents['Sample']
export type AnswerBody = Documents['AnswerRequest']
export type AnswerReceipt = Documents['Receipt']
export type Split = Documents['SplitEnum']
export type SampleFilter = Pick<NonNullable<operations['samples_facets']['parameters']['query']>, 'split' | 'label' | 'labelled' | 'q' | 'slice' | 'ids'>

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
