import { queryOptions } from '@tanstack/react-query'

import { api, reach, take } from '../../../shared/api/client'
import { asked, type Searched } from '../../../shared/api/lists'
import { ApiProblem } from '../../../shared/api/errors'
import type { EmbeddingMap, Problem, Sample } from '../../../shared/api/types'
import { listOptions } from '../../../shared/lists/pages'
import { jobPace, poll } from '../../../shared/live/interval'
import { type Points, readPoints } from './points'

/** The newest maps of a dataset, looked at again while one is being made. */
export function mapsList(id: string, search: Searched = {}) {
  const query = asked(search)
  return listOptions<EmbeddingMap>({
    queryKey: ['datasets', id, 'maps', query],
    read: (at) => take(api.GET('/datasets/{reference}/maps', { params: { path: { reference: id }, query: { ...query, ...at } } })),
    pace: (maps) => (maps?.some(({ job }) => jobPace(job.state) !== 'finished') ? 'running' : 'finished'),
  })
}

export function mapQuery(dataset: string, id: number) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'maps', 'one', id],
    queryFn: () => take(api.GET('/datasets/{reference}/maps/{id}', { params: { path: { reference: dataset, id } } })),
    refetchInterval: poll<EmbeddingMap>((map) => jobPace(map?.job.state)),
    retry: false,
  })
}

/** The points of a map; their address changes with them, so what was read stays good. */
export function pointsQuery(map: EmbeddingMap) {
  return queryOptions({
    queryKey: ['maps', map.id, map.points],
    queryFn: async ({ signal }): Promise<Points> => {
      const response = await reach(fetch(map.points ?? '', { signal }))
      if (!response.ok) throw new ApiProblem((await response.json()) as Problem)
      return readPoints(await response.arrayBuffer())
    },
    staleTime: Infinity,
    gcTime: 5 * 60_000,
  })
}

/** A page of a selection, in its order. */
export function selectedQuery(map: EmbeddingMap, ids: readonly number[]) {
  return queryOptions({
    queryKey: ['maps', map.id, 'samples', ids],
    queryFn: async (): Promise<Sample[]> => {
      const params = { path: { reference: map.dataset, number: String(map.version) }, query: { ids: ids.join(','), limit: ids.length } }
      return (await take(api.GET('/datasets/{reference}/versions/{number}/samples', { params }))).results
    },
    enabled: ids.length > 0,
    staleTime: Infinity,
    gcTime: 60_000,
  })
}
