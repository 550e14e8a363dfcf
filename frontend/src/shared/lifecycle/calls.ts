import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'
import { asked, type Searched } from '../api/lists'
import { within } from '../api/queries'
import { listOptions } from '../lists/pages'

export type LifecycleKind = 'dataset' | 'model' | 'queue' | 'pipeline' | 'backtest' | 'sweep'

/** What every kind of thing tells of itself here. */
export interface Named {
  id: number
  name: string
  archived: string | null
  /** Where the thing tells it. */
  project?: string
}

export const nouns: Record<LifecycleKind, string> = { dataset: 'dataset', model: 'model', queue: 'queue', pipeline: 'pipeline', backtest: 'back-test', sweep: 'sweep' }

/** Where the addresses of a kind begin; the reads of it are kept under the same noun. */
export const reads: Record<LifecycleKind, string> = { dataset: 'datasets', model: 'models', queue: 'queues', pipeline: 'pipelines', backtest: 'backtests', sweep: 'sweeps' }

// The calls of all kinds have one shape: those of datasets stand for them.
function at(kind: LifecycleKind): 'datasets' {
  return (kind === 'queue' ? 'labeling/queues' : reads[kind]) as 'datasets'
}

const place = (id: number) => ({ params: { path: { reference: String(id) } } })

export const archive = (kind: LifecycleKind, id: number) => take(api.POST(`/${at(kind)}/{reference}/archive`, place(id)))

export const restore = (kind: LifecycleKind, id: number) => take(api.POST(`/${at(kind)}/{reference}/restore`, place(id)))

export const remove = (kind: LifecycleKind, id: number, confirm: string) => take(api.POST(`/${at(kind)}/{reference}/deletion`, { ...place(id), body: { confirm } }))

export async function rename(kind: LifecycleKind, id: number, name: string): Promise<Named> {
  const body = { name }
  const reference = String(id)
  switch (kind) {
    case 'dataset':
      return take(api.PATCH('/datasets/{reference}', { params: { path: { reference } }, body }))
    case 'queue':
      return take(api.PATCH('/labeling/queues/{reference}', { params: { path: { reference } }, body }))
    case 'model':
      return take(api.PATCH('/models/{model}', { params: { path: { model: reference } }, body }))
    case 'pipeline':
      return take(api.PATCH('/pipelines/{pipeline}', { params: { path: { pipeline: reference } }, body }))
    case 'backtest':
      return take(api.PATCH('/backtests/{backtest}', { params: { path: { backtest: reference } }, body }))
    case 'sweep':
      return take(api.PATCH('/sweeps/{sweep}', { params: { path: { sweep: reference } }, body }))
  }
}

export function deletionQuery(kind: LifecycleKind, id: number) {
  return queryOptions({
    queryKey: [reads[kind], 'deletion', id],
    queryFn: () => take(api.GET(`/${at(kind)}/{reference}/deletion`, place(id))),
    gcTime: 0,
  })
}

export function archivedList(kind: LifecycleKind, project: string | null, search: Searched = {}) {
  const query = { archived: true, ...asked(search), ...within(project) }
  return listOptions<Named>({ queryKey: [reads[kind], 'archived', query], read: (page) => take(api.GET(`/${at(kind)}`, { params: { query: { ...query, ...page } } })) })
}
