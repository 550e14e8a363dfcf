import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { keyWithin, within } from '../../shared/api/queries'
import type { Curve, Id, Pipeline, PipelineChanges, Round } from '../../shared/api/types'
import { listOptions } from '../../shared/lists/pages'
import { poll, type Pace } from '../../shared/live/interval'
import type { RoundStep } from './steps'

export function pipelinePace(pipeline: Pipeline | undefined): Pace {
  if (!pipeline || ['waiting_for_labels', 'waiting_for_budget', 'idle', 'stopped'].includes(pipeline.state)) return 'queued'
  return pipeline.state === 'running' ? 'running' : 'finished'
}

const mostCompared = 8

/** A few pipelines whose curves may be compared with one's: over datasets of the same task and classes, the newest. */
export function comparableQuery(pipeline: Pipeline) {
  return queryOptions({
    queryKey: ['pipelines', 'comparable', pipeline.id],
    queryFn: () => take(api.GET('/pipelines', { params: { query: { comparable_with: String(pipeline.id), limit: mostCompared } } })),
    refetchInterval: poll(() => 'queued'),
  })
}

/** By id or name. */
export function pipelineQuery(id: string) {
  return queryOptions({
    queryKey: ['pipelines', 'one', id],
    queryFn: () => take(api.GET('/pipelines/{pipeline}', { params: { path: { pipeline: id } } })),
    refetchInterval: poll<Pipeline>((pipeline) => (pipelinePace(pipeline) === 'running' ? 'running' : 'queued')),
  })
}

export function forecastQuery(pipeline: Pipeline, target: number | null) {
  return queryOptions({
    queryKey: ['forecast', String(pipeline.id), target, pipeline.current_round],
    queryFn: () => take(api.GET('/forecast', { params: { query: { pipeline: String(pipeline.id), target: target ?? 0 } } })),
    retry: false,
  })
}

/** The newest first. */
export function roundsList(pipeline: Pipeline) {
  return listOptions<Round>({
    // Of each state: when it ends or fails, the rounds are read once more.
    queryKey: ['rounds', String(pipeline.id), pipeline.state],
    read: (at) => take(api.GET('/pipelines/{pipeline}/rounds', { params: { path: { pipeline: String(pipeline.id) }, query: at } })),
    pace: () => pipelinePace(pipeline),
  })
}

export function curveQuery(pipeline: Pipeline) {
  return queryOptions({
    queryKey: ['curve', String(pipeline.id)],
    queryFn: (): Promise<Curve> => take(api.GET('/pipelines/{pipeline}/curve', { params: { path: { pipeline: String(pipeline.id) } } })),
    // A pipeline that has stopped may have got its last point after the poll before: it is looked at all the same.
    refetchInterval: poll(() => 'queued'),
  })
}

export function againstRandomQuery(pipeline: Pipeline) {
  return queryOptions({
    // Of each round and state: a commit of labels changes it.
    queryKey: ['against-random', String(pipeline.id), pipeline.current_round, pipeline.state],
    queryFn: () => take(api.GET('/pipelines/{pipeline}/against-random', { params: { path: { pipeline: String(pipeline.id) } } })),
  })
}

export function jobsQuery(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['jobs', 'recent'], project),
    queryFn: async () => (await take(api.GET('/jobs', { params: { query: within(project) } }))).results,
    refetchInterval: poll((jobs) => (jobs?.some((job) => job.state === 'running') ? 'running' : 'queued')),
  })
}

export type Action = 'start' | 'pause' | 'resume' | 'cancel'

export function pipelineAction(id: Id, action: Action): Promise<unknown> {
  const params = { params: { path: { pipeline: String(id) } } }
  switch (action) {
    case 'start':
      return take(api.POST('/pipelines/{pipeline}/rounds', params))
    case 'pause':
      return take(api.POST('/pipelines/{pipeline}/pause', params))
    case 'resume':
      return take(api.POST('/pipelines/{pipeline}/resume', params))
    case 'cancel':
      return take(api.POST('/pipelines/{pipeline}/rounds/cancel', params))
  }
}

/** Takes the round that failed or was cancelled up again; `from` a step, or where it ended. */
export function retryRound(id: Id, from: RoundStep | null): Promise<unknown> {
  return take(api.POST('/pipelines/{pipeline}/retry', { params: { path: { pipeline: String(id) } }, body: from === null ? {} : { from } }))
}

export function changePipeline(id: Id, changes: PipelineChanges): Promise<unknown> {
  return take(api.PATCH('/pipelines/{pipeline}', { params: { path: { pipeline: String(id) } }, body: changes }))
}

/** A new secret for the address that triggers a round; it is told this once. */
export function rotateSecret(id: Id) {
  return take(api.POST('/pipelines/{pipeline}/webhook', { params: { path: { pipeline: String(id) } } }))
}
