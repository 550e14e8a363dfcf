import type { Backtest, Forecast, Job, NewBacktest, NewPipeline, PickOfJob, Pipeline, Quarantined, Round } from './types'

/** Calls that the schema does not have yet. */
interface Call<Answer, Parameters, Body = never> {
  parameters: Parameters
  requestBody?: [Body] extends [never] ? never : { content: { 'application/json': Body } }
  responses: { 200: { content: { 'application/json': Answer } } }
}
interface Page<Row> {
  results: Row[]
  next: string | null
}
interface PipelinePath {
  path: { pipeline: string }
}

export interface AheadPaths {
  '/mining/jobs/{id}/quarantine': { get: Call<Page<Quarantined>, { path: { id: number }; query?: { cursor?: string } }> }
  '/mining/jobs/{id}/picks/{rank}': { get: Call<PickOfJob, { path: { id: number; rank: number } }> }
  '/pipelines/{pipeline}/webhook': { post: Call<{ url: string; secret: string }, PipelinePath> }
  '/forecast': { get: Call<Forecast, { query: { pipeline: string; target: number } }> }
  '/backtests': {
    get: Call<Page<Backtest>, { query?: { cursor?: string } }>
    post: Call<{ id: number; job: Job }, { query?: never }, NewBacktest>
  }
  '/backtests/{id}': { get: Call<Backtest, { path: { id: number } }> }
  '/ahead/pipelines/{pipeline}': { patch: Call<Pipeline, PipelinePath, Partial<NewPipeline>> }
  '/ahead/pipelines/{pipeline}/retry': { post: Call<Round, PipelinePath, { from?: string }> }
}
