/** The REST API's documents, as far as these pages read them. */

export type Id = number | string
export type Task = 'classification' | 'detection'
export interface ClassLabel {
  class: string
}
/** `box` is x1, y1, x2, y2 in pixels of the upright image. */
export interface BoxLabel {
  boxes: { class: string; box: number[] }[]
}
export type Label = ClassLabel | BoxLabel
export type LabelSource = 'human' | 'import' | 'model'

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  errors?: Record<string, string[]>
}

export interface Listing<T> {
  results: T[]
  next: string | null
}

export interface Session {
  user: { id: Id; username: string; role: string }
}

export interface DatasetCounts {
  samples: number
  labelled: number
  by_split: Record<string, number>
  by_class: Record<string, number>
}

export interface Dataset {
  id: Id
  name: string
  task: Task
  classes: string[]
  description: string
  head: number | null
  counts: DatasetCounts
  created: string
}

export interface Version {
  version: number
  parent: number | null
  message: string
  author: string | null
  created: string
  added: number
  updated: number
  removed: number
  labelled: number
  counts: DatasetCounts
}

export interface Sample {
  id: Id
  key: string
  digest: string
  split: string
  label: Label | null
  label_source: LabelSource | null
  width: number
  height: number
  media_type: string
  meta: Record<string, unknown>
  url: string
  thumb: string
}

export interface SamplePage {
  results: Sample[]
  total: number
  offset: number
  next: string | null
}

export interface Facets {
  total: number
  split: Record<string, number>
  label: Record<string, number>
  labelled: Record<string, number>
}

export interface Commit {
  version: number
  parent: number | null
  added: number
  updated: number
  removed: number
  labelled: number
  unchanged: number
  rejected: { key: string; code: string; detail: string }[]
}

export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'

export interface JobProgress {
  done: number
  total: number | null
  rate: number | null
  eta: number | null
  unit: string
}

export interface Job {
  id: Id
  kind: string
  title: string
  state: JobState
  progress: JobProgress
  error: string | Problem | null
  created: string
  started: string | null
  finished: string | null
}

export interface LogLine {
  seq: number
  time: string
  level: string
  message: string
}

export interface JobPoint {
  seq: number
  step: number
  values: Record<string, number>
}

export interface JobDetail extends Job {
  points: JobPoint[]
  log: LogLine[]
  result: unknown
  next: number
}

export interface QueueCounts {
  total: number
  todo: number
  leased: number
  done: number
  skipped: number
}

export interface Queue {
  id: Id
  name: string
  dataset: string
  dataset_id: Id
  task: Task
  classes: string[]
  state: 'open' | 'complete' | 'committed'
  counts: QueueCounts
  rate_per_hour: number | null
  answers_per_task: number
  created: string
  committed_version: number | null
}

export interface Suggestion {
  class: string
  probability: number
  probabilities: Record<string, number>
  model: string
}

export interface Why {
  strategy: string
  score: number | null
  rank: number | null
  of: number | null
  reason: string
  control: boolean
  neighbours: { key: string; thumb: string; label: Label | string | null }[]
}

export interface LabelTask {
  id: Id
  sample: {
    id: Id
    key: string
    digest: string
    width: number
    height: number
    thumb: string
    meta: Record<string, unknown>
  }
  url: string
  suggestion: Suggestion | null
  why: Why | null
  lease_until: string
  lease_token: Id
}

export interface AnswerBody {
  value: Label
  seconds: number
  shown_suggestion: boolean
  lease_token?: Id
}

export interface AnswerReceipt {
  state: string
  answer: { id: Id; value: Label; opinion: boolean } | null
  queue: { counts: QueueCounts }
}

export interface Lease {
  lease_until: string
  lease_token: Id
}

export type PipelineState = 'idle' | 'running' | 'waiting_for_labels' | 'failed' | 'stopped' | 'done'

export interface Pipeline {
  id: Id
  name: string
  dataset: string
  model: string
  architecture: string
  strategy: { name: string; params: Record<string, unknown> }
  count: number
  control: number
  config: Record<string, unknown>
  state: PipelineState
  current_round: number | null
  created: string
}

export type RoundState =
  | 'training'
  | 'scoring'
  | 'queueing'
  | 'labelling'
  | 'committing'
  | 'gating'
  | 'done'
  | 'failed'
  | 'cancelled'

export interface Round {
  number: number
  state: RoundState
  step_started: string | null
  labels: number | null
  dataset_version: number | null
  model_version: number | null
  run: Id | null
  mining_job: Id | null
  queue: Id | null
  queue_counts: QueueCounts | null
  job: Id | null
  accuracy: number | null
  promoted: boolean | null
  error: string | Problem | null
  timings: Record<string, number>
  images_per_second: Record<string, number>
  created: string
  finished: string | null
}

export interface CurvePoint {
  round: number
  labels: number
  accuracy: number
  low: number | null
  high: number | null
  model_version: number | null
  strategy: string
}

export interface Curve {
  pipeline: Id
  points: CurvePoint[]
  lift: Record<string, number | null> | null
}
