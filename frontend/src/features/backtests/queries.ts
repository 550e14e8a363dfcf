import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { cursorOf } from '../../shared/api/pages'
import { keyWithin, within } from '../../shared/api/queries'
import type { Backtest } from '../../shared/api/types'
import { jobPace, poll } from '../../shared/live/interval'

/** The newest first. */
export function backtestsQuery(project: string | null) {
  return infiniteQueryOptions({
    queryKey: keyWithin(['backtests', 'list'], project),
    queryFn: ({ pageParam }) => take(api.GET('/backtests', { params: { query: { ...within(project), ...(pageParam === null ? {} : { cursor: pageParam }) } } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
    refetchInterval: poll((data) => (data?.pages.some(({ results }) => results.some(({ job }) => job.state === 'running')) ? 'running' : 'queued')),
  })
}

export function backtestQuery(id: string) {
  return queryOptions({
    queryKey: ['backtests', id],
    queryFn: async (): Promise<Backtest> => take(api.GET('/backtests/{backtest}', { params: { path: { backtest: id } } })),
    refetchInterval: poll<Backtest>((backtest) => jobPace(backtest?.job.state)),
    refetchIntervalInBackground: true,
  })
}
