import type {
  Commit,
  Curve,
  Dataset,
  Facets,
  Id,
  Job,
  JobDetail,
  LabelTask,
  Lease,
  Listing,
  Pipeline,
  Problem,
  Queue,
  Round,
  SamplePage,
  Session,
  Version,
} from './types'

/** The routes these pages call, in the shape that openapi-typescript writes, so that a generated schema can take this file's place. */

type Operation<Answer, Route = never, Query = never, Body = never> = {
  parameters: ([Route] extends [never] ? { path?: never } : { path: Route }) & { query?: Query }
  responses: {
    200: { content: { 'application/json': Answer } }
    default: { content: { 'application/json': Problem } }
  }
} & ([Body] extends [never] ? { requestBody?: never } : { requestBody: { content: { 'application/json': Body } } })

interface ById {
  id: Id
}
interface ByVersion extends ById {
  v: number | 'head'
}
export interface SampleFilter {
  split?: string
  label?: string
  labelled?: boolean
  q?: string
}
interface SampleWindow extends SampleFilter {
  offset: number
  limit: number
}
type Nothing = undefined

export interface paths {
  '/session': {
    get: Operation<Session>
    post: Operation<Session, never, never, { token: string }>
    delete: Operation<Nothing>
  }
  '/datasets': { get: Operation<Listing<Dataset>> }
  '/datasets/{id}': { get: Operation<Dataset, ById> }
  '/datasets/{id}/versions': { get: Operation<Listing<Version>, ById> }
  '/datasets/{id}/versions/{v}/samples': { get: Operation<SamplePage, ByVersion, SampleWindow> }
  '/datasets/{id}/versions/{v}/facets': { get: Operation<Facets, ByVersion, SampleFilter> }
  '/jobs': { get: Operation<Listing<Job>, never, { state?: string; kind?: string }> }
  '/jobs/{id}': { get: Operation<JobDetail, ById, { since?: number }> }
  '/jobs/{id}/cancel': { post: Operation<Nothing, ById> }
  '/labeling/queues': { get: Operation<Listing<Queue>> }
  '/labeling/queues/{id}': { get: Operation<Queue, ById> }
  '/labeling/queues/{id}/next': { post: Operation<{ tasks: LabelTask[] } | Nothing, ById, never, { count: number }> }
  '/labeling/queues/{id}/commit': { post: Operation<Commit, ById, never, { message?: string }> }
  '/labeling/tasks/{id}/renew': { post: Operation<Lease, ById> }
  '/pipelines': { get: Operation<Listing<Pipeline>> }
  '/pipelines/{id}/rounds': {
    get: Operation<Listing<Round>, ById>
    post: Operation<{ round: number; url: string }, ById>
  }
  '/pipelines/{id}/curve': { get: Operation<Curve, ById> }
  '/pipelines/{id}/pause': { post: Operation<unknown, ById> }
  '/pipelines/{id}/resume': { post: Operation<unknown, ById> }
  '/pipelines/{id}/retry': { post: Operation<unknown, ById> }
}
