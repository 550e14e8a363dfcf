import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { asked, type Searched } from '../../shared/api/lists'
import { within } from '../../shared/api/queries'
import type { Backtest, BacktestRow } from '../../shared/api/types'
import { listOptions } from '../../shared/lists/pages'
import { jobPace, poll } from '../../shared/live/interval'

/** The newest first. */
export function backtestsList(search: Searched, project: string | null) {
  const query = { ...asked(search), ...within(project) }
  return listOptions<BacktestRow>({
    queryKey: ['backtests', 'list', query],
    read: (at) => take(api.GET('/backtests', { params: { query: { ...query, ...at } } })),
    pace: (rows) => (rows?.some(({ job }) => job.state === 'running') ? 'running' : 'queued'),
  })
}

export function backtestQuery(id: string) {
  return queryOptions({
    queryKey: ['backtests', id],
    queryFn: async (): Promise<Backtest> => take(api.GET('/backtests/{backtest}', { params: { path: { backtest: id } } })),
    refetchInterval: poll<Backtest>((backtest) => jobPace(backtest?.job.state)),
  })
}
