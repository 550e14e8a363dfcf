import { queryOptions } from '@tanstack/react-query'

import { api, reach, take } from '../../../shared/api/client'
import { ApiProblem } from '../../../shared/api/errors'
import type { EmbeddingMap, Problem, Sample } from '../../../shared/api/types'
import { jobPace, poll } from '../../../shared/live/interval'
import { type Points, readPoints } from './points'

const shown = 50

/** The newest maps of a dataset, looked at again while one is being made. */
export function mapsQuery(id: string) {
  return queryOptions({
    queryKey: ['datasets', id, 'maps'],
    queryFn: async () => (await take(api.GET('/datasets/{reference}/maps', { params: { path: { reference: id }, query: { limit: shown } } }))).results,
    refetchInterval: poll<EmbeddingMap[]>((maps) => (maps?.some(({ job }) => jobPace(job.state) !== 'finished') ? 'running' : 'finished')),
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
