import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { Curve, Id, Pipeline } from '../../shared/api/types'
import { poll, type Pace } from '../../shared/live/interval'

export function pipelinePace(pipeline: Pipeline | undefined): Pace {
  if (!pipeline || pipeline.state === 'waiting_for_labels' || pipeline.state === 'idle') return 'queued'
  return pipeline.state === 'running' ? 'running' : 'finished'
}

/**
 * All pipelines, the oldest first so that none changes its place and colour, as often as the busiest of them needs; idle
 * ones are still looked at, for somebody else may start them.
 */
export const livePipelinesQuery = queryOptions({
  queryKey: ['pipelines', 'live'],
  queryFn: async () => (await take(api.GET('/pipelines'))).results.sort((a, b) => a.id - b.id),
  refetchInterval: poll<Pipeline[]>((all) => (all?.some((each) => each.state === 'running') ? 'running' : 'queued')),
  refetchIntervalInBackground: true,
})

export function roundsQuery(pipeline: Pipeline) {
  return queryOptions({
    queryKey: ['rounds', String(pipeline.id)],
    queryFn: async () => (await take(api.GET('/pipelines/{pipeline}/rounds', { params: { path: { pipeline: String(pipeline.id) } } }))).results,
    refetchInterval: poll(() => pipelinePace(pipeline)),
    refetchIntervalInBackground: true,
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

export const jobsQuery = queryOptions({
  queryKey: ['jobs', 'recent'],
  queryFn: async () => (await take(api.GET('/jobs'))).results,
  refetchInterval: poll((jobs) => (jobs?.some((job) => job.state === 'running') ? 'running' : 'queued')),
  refetchIntervalInBackground: true,
})

/** The newest trainings. */
export const runsQuery = queryOptions({
  queryKey: ['runs', 'recent'],
  queryFn: async () => (await take(api.GET('/runs'))).results,
})

export function pipelineAction(id: Id, action: 'start' | 'pause' | 'resume' | 'retry'): Promise<unknown> {
  const params = { params: { path: { pipeline: String(id) } } }
  switch (action) {
    case 'start':
      return take(api.POST('/pipelines/{pipeline}/rounds', params))
    case 'pause':
      return take(api.POST('/pipelines/{pipeline}/pause', params))
    case 'resume':
      return take(api.POST('/pipelines/{pipeline}/resume', params))
    case 'retry':
      return take(api.POST('/pipelines/{pipeline}/retry', params))
  }
}
