/** Names for the documents of the REST API. Their shapes are generated from it (`make schema`), never written by hand. */

import type { components, operations } from './schema'

type Documents = components['schemas']

/** Rows have numbers; an address may name some of them instead. */
export type Id = number | string

export type Commit = Documents['Commit']
export type Rejection = Documents['Rejection']
/** What an edit of many samples would do. */
export type EditPreview = Documents['EditPreview']
/** Which samples an edit, tags or a queue are for. */
export type SamplesFilter = Documents['EditRequest']['filter']
/** What is stored of files that were sent ahead of a commit, and what is not. */
export type StagedUpload = Required<Pick<Documents['Uploads'], 'results' | 'rejected'>>
export type Curve = Documents['Curve']
export type Dataset = Documents['Dataset']
export type TaskName = Documents['NewDatasetRequest']['task']
export type Facets = Documents['Facets']
export type Job = Documents['Job']
export type JobDetail = Documents['LiveJob']
export type Needs = Documents['Needs']
export type Shard = Documents['Shard']
export type Workers = Documents['Workers']
export type Machine = Documents['Machine']
export type WorkerProcess = Documents['Worker']
export type QueueDepth = Documents['QueueDepth']
export type Quota = Documents['Quota']
export type QuarantineSummary = Documents['QuarantineSummary']
export type EmbeddingMap = Documents['Map']
export type NewMap = Documents['NewMapRequest']
export type Lake = Documents['Lake']
export type LakeFrame = Documents['LakeFrame']
export type LakePart = Documents['LakePart']
export type LakeScan = Documents['LakeScan']
export type NewLakeScan = Documents['NewLakeScanRequest']
export type ComparedRuns = Documents['ComparedRuns']
export type ComparedVersions = Documents['ComparedVersions']
export type ComparedMetric = Documents['ComparedMetric']
export type JobState = Documents['JobStateEnum']
export type Pipeline = Documents['Pipeline']
export type NewPipeline = Documents['NewPipelineRequest']
export type PipelineChanges = Documents['ChangePipelineRequest']
export type Trigger = Documents['Trigger']
export type Stop = Documents['Stop']
export type Forecast = Documents['Forecast']
export type Plan = Documents['Plan']
export type PlanExample = Documents['PlanExample']
export type PlanPrinted = Documents['AsPrinted']
export type PlanQuestion = Documents['QuestionRequest']
export type TrainingTime = Documents['TrainingTime']
export type PipelineState = Documents['PipelineStateEnum']
export type Queue = Documents['Queue']
export type NewQueue = Documents['NewQueueRequest']
export type QueueChanges = Documents['QueueChangeRequest']
export type Round = Documents['Round']
export type RoundState = Documents['RoundStateEnum']
export type Sample = Documents['Sample']
/** With how alike it is to what was looked for. */
export type SimilarSample = Documents['SimilarSample']
export type Embeddings = Documents['Embeddings']
export type Encoder = Documents['Encoder']
export type AnswerBody = Omit<Documents['AnswerRequest'], 'value'> & { value: LabelValue }
export type Verification = Documents['VerificationRequest']
export type QueueStatistics = Documents['QueueStatistics']
export type SkipBody = Documents['SkipRequest']
export type AnswerReceipt = Documents['Receipt']
export type Split = Documents['SplitEnum']
export type SampleFilter = Pick<NonNullable<operations['samples_facets']['parameters']['query']>, 'split' | 'label' | 'tag' | 'labelled' | 'q' | 'slice' | 'ids' | 'filter' | 'predicted_by' | 'predicted' | 'correct' | 'confidence_from' | 'confidence_to'>
export type SamplePrediction = Documents['SamplePrediction']

export type Version = Documents['Version']
/** A tag or an alias. */
export type VersionName = Documents['Name']
export type Lineage = Documents['Lineage']
export type ContainedIn = Documents['ContainedIn']
export type ContainingModel = Documents['ContainingModel']
export type Diff = Documents['Diff']
export type DiffKind = Documents['KindsEnum']
export type Difference = Documents['Difference']

export type Model = Documents['Model']
export type ModelVersion = Documents['ModelVersion']
export type ModelVersionDetail = Documents['ModelVersionDetail']
export type Feeding = Documents['Feeding']
export type VersionLineage = Documents['VersionLineage']
export type Artifact = Documents['Artifact']
export type GateResult = Documents['GateResult']
export type ModelWarning = Documents['ModelWarning']
export type Promotion = Documents['Promotion']
export type Outcome = Documents['Outcome']
export type CalibrationBin = Documents['CalibrationBin']
export type Outcomes = Documents['Outcomes']
export type NamedSample = Documents['NamedSample']
export type ImageAnswer = Documents['ImageAnswer']
export type Architecture = Documents['Architecture']
export type Run = Documents['Run']
export type ForecastRequest = Documents['NewTrainingForecastRequest']
export type RunTable = Documents['RunTable']
export type RunPoint = Documents['Point']
/** A checkpoint that a run kept. */
export type Snapshot = Documents['Snapshot']

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
export type Sweep = Documents['Sweep']
export type SweepRow = Documents['SweepRow']
export type Trial = Documents['Trial']
export type NewSweep = Documents['NewSweepRequest']
export type Learner = Documents['Learner']

export type NearDuplicate = Documents['NearDuplicate']
export type Slice = Documents['Slice']
export type FilterVocabulary = Documents['Vocabulary']
export type FilterField = Documents['FilterField']
export type Statistics = Documents['Statistics']
export type Export = Documents['Export']
export type ExportFormat = Documents['ExportFormatEnum']

/** What of one kind uses a thing that may be deleted. */
export type Dependent = Documents['Dependent']
export type Problem = Documents['Problem']
export type Session = Documents['Session']
export type Project = Documents['Project']
export type Member = Documents['Member']
export type AuditEvent = Documents['AuditEvent']

/** Lengths of lists, which the schema tells and `openapi-fetch` drops from its types. */
type Cornered<T> = Omit<T, 'box'> & { box: [number, number, number, number] }
/** The points of an outline, x and y in px of the upright image. */
export type Ring = [number, number][]
/** Of one part, or of several. */
export type PolygonOutline = { points: Ring; parts?: never } | { points?: never; parts: Ring[] }
type Ringed<T> = Omit<T, 'points' | 'parts'> & PolygonOutline

export type Attributes = Documents['Attributes']
/** What an object carries beside its class and its place. */
export type Carried = Pick<Documents['BoxShape'], 'attributes' | 'id' | 'track'>
export type BoxShape = Cornered<Documents['BoxShape']>
export type PolygonShape = Ringed<Documents['PolygonShape']>
export type IgnoredRegion = Cornered<Documents['IgnoredRegion']>
export type ClassValue = Documents['ClassValue']
export type ClassesValue = Documents['ClassesValue']
export type ShapesValue = { boxes: BoxShape[]; polygons?: PolygonShape[]; ignore?: IgnoredRegion[] }
export type LabelValue = ClassValue | ClassesValue | ShapesValue

export type ClassSuggestion = Documents['ClassSuggestion']
export type ClassesSuggestion = Documents['ClassesSuggestion']
export type ShapesSuggestion = Omit<ShapesValue, 'boxes' | 'polygons'> & {
  boxes: Cornered<Documents['SuggestedBox']>[]
  polygons?: Ringed<Documents['SuggestedPolygon']>[]
  model: string
}
export type Suggestion = ClassSuggestion | ClassesSuggestion | ShapesSuggestion
export type Why = Documents['Why']

export type QueueSchema = Queue['schema']
export type LabelClass = QueueSchema['classes'][number]
/** A task of labelling. */
export type LabelTask = Told<Documents['LabelingTask']>
/** A task that was taken back, with the counts of its queue. */
export type UndoneTask = Told<Documents['Undone']>
/** A task without its lease; how many comments are open is known of those that were just leased. */
type CommentCounts = Pick<LabelTask, 'comments' | 'comments_resolved' | 'comments_hidden'>
export type TaskFacts = Omit<LabelTask, 'lease_until' | 'lease_token' | keyof CommentCounts> & Partial<CommentCounts>
/** A task as lists have it. */
export type ListedTask = Told<Documents['ListedTask']>
interface Said {
  suggestion: Suggestion | null
  answered: { value: LabelValue | null } | null
}
type Told<T> = Omit<T, keyof Said> & Said

/** What became of each answer of a page. */
export type PageResult = Documents['AnswerResult']
/** One of the answers that are sent together; a `value` of null is a skip. */
export type PageAnswer = Omit<Documents['OneAnswerRequest'], 'value'> & { value: LabelValue | null }
