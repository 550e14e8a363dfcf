import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import type { LakeScan } from '../../../shared/api/types'
import { jobPace, poll } from '../../../shared/live/interval'

const framesAtOnce = 60
const shown = 50

export function lakeQuery(id: string) {
  return queryOptions({
    queryKey: ['datasets', id, 'lake'],
    queryFn: () => take(api.GET('/datasets/{reference}/lake', { params: { path: { reference: id } } })),
  })
}

export function partsQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ['datasets', id, 'lake', 'parts'],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/datasets/{reference}/lake/parts', {
          params: { path: { reference: id }, query: { limit: shown, ...(pageParam ? { cursor: pageParam } : {}) } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}

/** Which frames are looked at. */
export interface Asked {
  prefix: string
  after: string
  where: string[]
}

export function framesQuery(id: string, { prefix, after, where }: Asked) {
  return infiniteQueryOptions({
    queryKey: ['datasets', id, 'lake', 'frames', prefix, after, where],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/datasets/{reference}/lake/frames', {
          params: {
            path: { reference: id },
            query: { limit: framesAtOnce, prefix, where, ...(pageParam ? { cursor: pageParam } : { after }) },
          },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}

/** The newest scans, looked at again while one goes on. */
export function scansQuery(id: string) {
  return queryOptions({
    queryKey: ['datasets', id, 'lake', 'scans'],
    queryFn: async () => (await take(api.GET('/datasets/{reference}/lake/scans', { params: { path: { reference: id }, query: { limit: shown } } }))).results,
    refetchInterval: poll<LakeScan[]>((scans) => (scans?.some(({ job }) => jobPace(job.state) !== 'finished') ? 'running' : 'finished')),
  })
}

/** Of the address of the next page. */
function cursorOf(next: string | null): string | undefined {
  return next === null ? undefined : (new URL(next, location.origin).searchParams.get('cursor') ?? undefined)
}
