import { infiniteQueryOptions, queryOptions, type InfiniteData } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import { cursorOf } from '../../../shared/api/pages'
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
    initialPageParam: null as string | null,
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
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}

interface ScanPage {
  results: LakeScan[]
  next: string | null
}

/** The newest scans first, looked at again while one goes on. */
export function scansQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ['datasets', id, 'lake', 'scans'],
    queryFn: ({ pageParam }): Promise<ScanPage> =>
      take(api.GET('/datasets/{reference}/lake/scans', { params: { path: { reference: id }, query: { limit: shown, ...(pageParam === null ? {} : { cursor: pageParam }) } } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
    refetchInterval: poll<InfiniteData<ScanPage>>((data) => (data?.pages.some(({ results }) => results.some(({ job }) => jobPace(job.state) !== 'finished')) ? 'running' : 'finished')),
  })
}
