import './backtests.css'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { BacktestRow as Row } from '../../shared/api/types'
import { progressWords } from '../../shared/format/jobs'
import { count, when } from '../../shared/format/numbers'
import { JobChip } from '../../shared/ui/job-chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { backtestsQuery } from './queries'
import { bestWords, learnerWords } from './words'

export function BacktestsPage() {
  const backtests = useInfiniteQuery(backtestsQuery)
  const read = backtests.data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="grow">Back-tests</h1>
        <Link to="/backtests/new" className="button primary">
          New back-test
        </Link>
      </header>
      {backtests.isPending && <Skeleton height={160} />}
      {backtests.isError && !backtests.data && <Failure what="The back-tests could not be read" error={backtests.error} retry={() => void backtests.refetch()} />}
      {backtests.data && read.length === 0 && (
        <Empty>Nothing was back-tested yet. A back-test plays strategies over labels that are there already, and says which would have saved some.</Empty>
      )}
      {read.length > 0 && <BacktestTable backtests={read} />}
      {backtests.hasNextPage && (
        <div>
          <button type="button" className="button" disabled={backtests.isFetchingNextPage} onClick={() => void backtests.fetchNextPage()}>
            Show older back-tests
          </button>
        </div>
      )}
    </div>
  )
}

function BacktestTable({ backtests }: { backtests: Row[] }) {
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">Back-tests, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Data</th>
            <th scope="col">Learner</th>
            <th scope="col">Strategies</th>
            <th scope="col" className="number">
              Seeds
            </th>
            <th scope="col">Best</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {backtests.map((backtest) => (
            <BacktestRow key={backtest.id} backtest={backtest} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function BacktestRow({ backtest }: { backtest: Row }) {
  const { job } = backtest
  return (
    <tr>
      <th scope="row">
        <Link to="/backtests/$id" params={{ id: String(backtest.id) }}>
          {backtest.name}
        </Link>
      </th>
      <td>
        <JobChip state={job.state} />
        {job.state === 'running' && (
          <>
            <Progress done={job.progress.done} total={job.progress.total} label={backtest.name} />
            <p className="quiet small">{progressWords(job)}</p>
          </>
        )}
      </td>
      <td>
        {backtest.dataset} <span className="quiet">v{backtest.version}</span>
      </td>
      <td>{learnerWords(backtest.learner)}</td>
      <td>{backtest.strategies.map(({ name }) => name.replaceAll('_', ' ')).join(', ')}</td>
      <td className="number">{count(backtest.seeds)}</td>
      <td>{bestWords(backtest)}</td>
      <td className="quiet">{when(backtest.created)}</td>
    </tr>
  )
}
