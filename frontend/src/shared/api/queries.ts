import { queryOptions, useQuery } from '@tanstack/react-query'

import { api, take } from './client'
import type { Dataset, Id, Model } from './types'

/** Reads that more than one feature needs. Keys start with the noun, so that a change can invalidate all reads of it. */

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => take(api.GET('/session')),
  staleTime: 5 * 60_000,
})

/** How one may sign in here, besides with a token. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => take(api.GET('/session/options')),
  staleTime: Infinity,
})

/** What a list is asked for to be of one project; of all where that is null. */
export function within(project: string | null): { project?: string } {
  return project === null ? {} : { project }
}

/** The key of a list, which is another one for each project. */
export function keyWithin(key: readonly unknown[], project: string | null): readonly unknown[] {
  return project === null ? key : [...key, { project }]
}

export function datasetQuery(id: string) {
  return queryOptions({
    queryKey: ['datasets', id],
    queryFn: () => take(api.GET('/datasets/{reference}', { params: { path: { reference: id } } })),
  })
}

export function modelQuery(model: string) {
  return queryOptions({
    queryKey: ['models', model],
    queryFn: () => take(api.GET('/models/{model}', { params: { path: { model } } })),
  })
}

export function queueQuery(id: Id) {
  return queryOptions({
    queryKey: ['queues', String(id)],
    queryFn: () => take(api.GET('/labeling/queues/{reference}', { params: { path: { reference: String(id) } } })),
  })
}

export function sliceQuery(id: string, name: string) {
  return queryOptions({
    // Not below the list of them: that is read again when one is gone.
    queryKey: ['datasets', id, 'slice', name],
    queryFn: () => take(api.GET('/datasets/{reference}/slices/{name}', { params: { path: { reference: id, name } } })),
  })
}

/** The dataset of this name or id, once it is read; none for ''. */
export function useDataset(id: string): Dataset | undefined {
  return useQuery({ ...datasetQuery(id), enabled: id !== '' }).data
}

/** The model of this name, once it is read; none for ''. */
export function useModel(name: string): Model | undefined {
  return useQuery({ ...modelQuery(name), enabled: name !== '' }).data
}

const learners = {
  queryKey: ['architectures'],
  queryFn: () => take(api.GET('/architectures')),
  staleTime: Infinity,
}

export const architecturesQuery = queryOptions({ ...learners, select: ({ results }) => results })

/** The learner that chooses between architectures. */
export const autoQuery = queryOptions({ ...learners, select: ({ auto }) => auto })
