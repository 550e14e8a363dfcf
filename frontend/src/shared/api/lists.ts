import type { Person } from '../access/types'
import { listOptions } from '../lists/pages'
import { api, take } from './client'
import { within } from './queries'
import type { Dataset, Encoder, Model, ModelVersion, Pipeline, Project, Queue, Slice, Version } from './types'

/** Lists that more than one feature reads. Keys start with the noun, so that a change can invalidate all reads of it. */

/** What a list is searched for. */
export interface Searched {
  /** Words; undefined or '' for all rows. */
  q?: string | undefined
}

/** What the server is asked for: no words rather than empty ones. */
export function asked<Search extends Searched>({ q, ...rest }: Search): Omit<Search, 'q'> & { q?: string } {
  return { ...rest, ...(q === undefined || q === '' ? {} : { q }) }
}

/** Lists are of the project that was picked, the newest first. */

export function datasetsList(project: string | null, search: Searched = {}) {
  const query = { ...asked(search), ...within(project) }
  return listOptions<Dataset>({ queryKey: ['datasets', 'list', query], read: (at) => take(api.GET('/datasets', { params: { query: { ...query, ...at } } })) })
}

export function modelsList(project: string | null, search: Searched & { dataset?: string; alias?: string } = {}) {
  const query = { ...asked(search), ...within(project) }
  return listOptions<Model>({ queryKey: ['models', 'list', query], read: (at) => take(api.GET('/models', { params: { query: { ...query, ...at } } })) })
}

/** Of queues, those that want labels most come first: open ones by their priority, then complete ones, then committed ones. */
export function queuesList(project: string | null, search: Searched & { state?: string; dataset?: string } = {}, live = false) {
  const query = { ...asked(search), ...within(project), order: 'urgent' as const }
  return listOptions<Queue>({
    queryKey: ['queues', 'list', query],
    read: (at) => take(api.GET('/labeling/queues', { params: { query: { ...query, ...at } } })),
    ...(live ? { pace: () => 'queued' as const } : {}),
  })
}

export function pipelinesList(project: string | null, search: Searched & { dataset?: string } = {}, live = false) {
  const query = { ...asked(search), ...within(project) }
  return listOptions<Pipeline>({
    queryKey: ['pipelines', 'list', query],
    read: (at) => take(api.GET('/pipelines', { params: { query: { ...query, ...at } } })),
    // Idle ones are still looked at, for somebody else may start them.
    ...(live ? { pace: (rows: readonly Pipeline[] | undefined) => (rows?.some(({ state }) => state === 'running') ? 'running' : 'queued') } : {}),
  })
}

/** The saved filters of a dataset. */
export function slicesList(dataset: string, search: Searched = {}) {
  const query = asked(search)
  return listOptions<Slice>({
    queryKey: ['datasets', dataset, 'slices', query],
    read: (at) => take(api.GET('/datasets/{reference}/slices', { params: { path: { reference: dataset }, query: { ...query, ...at } } })),
  })
}

export function versionsList(dataset: string, search: Searched = {}) {
  const query = asked(search)
  return listOptions<Version>({
    queryKey: ['datasets', dataset, 'versions', query],
    read: (at) => take(api.GET('/datasets/{reference}/versions', { params: { path: { reference: dataset }, query: { ...query, ...at } } })),
  })
}

/** The projects that somebody is in, and all for owners of the platform. */
export function projectsList(search: Searched = {}) {
  const query = asked(search)
  return listOptions<Project>({ queryKey: ['projects', 'list', query], read: (at) => take(api.GET('/projects', { params: { query: { ...query, ...at } } })) })
}

export function encodersList(project: string | null, search: Searched = {}) {
  const query = { ...asked(search), ...within(project) }
  return listOptions<Encoder>({ queryKey: ['encoders', 'list', query], read: (at) => take(api.GET('/encoders', { params: { query: { ...query, ...at } } })) })
}

/** Everybody whom whoever asks knows. */
export function peopleList(search: Searched = {}) {
  const query = asked(search)
  return listOptions<Person>({ queryKey: ['people', 'list', query], read: (at) => take(api.GET('/people', { params: { query: { ...query, ...at } } })) })
}

/** The versions of a model. */
export function modelVersionsList(model: string, search: Searched = {}) {
  const query = asked(search)
  return listOptions<ModelVersion>({
    queryKey: ['models', model, 'versions', query],
    read: (at) => take(api.GET('/models/{model}/versions', { params: { path: { model }, query: { ...query, ...at } } })),
  })
}
