import './mining.css'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import type { JobState, MiningJob } from '../../shared/api/types'
import { progressWords } from '../../shared/format/jobs'
import { count, percent, when } from '../../shared/format/numbers'
import { jobStates, type MiningSearch } from '../../shared/routes/mining-search'
import { JobChip } from '../../shared/ui/job-chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { fitting } from './fitting'
import { miningJobsQuery } from './queries'

export function MiningPage() {
  const search = useSearch({ from: '/inside/mining' })
  const jobs = useInfiniteQuery(miningJobsQuery)
  const read = jobs.data?.pages.flatMap(({ results }) => results) ?? []
  const shown = fitting(read, search)
  return (
    <div className="page">
      <header className="page-head">
        <h1>Mining</h1>
        <Filters search={search} />
        <span className="grow" />
        <Link to="/mining/new" className="button primary">
          Mine samples
        </Link>
      </header>
      {jobs.isPending && <Skeleton height={160} />}
      {jobs.isError && !jobs.data && <Failure what="The mining jobs could not be read" error={jobs.error} retry={() => void jobs.refetch()} />}
      {jobs.data && read.length === 0 && <Empty>Nothing has been mined yet. A mining job scores the unlabelled pool and picks the samples that teach a model most.</Empty>}
      {read.length > 0 && shown.length === 0 && (
        <p className="quiet" role="status">
          None of the {count(read.length)} newest jobs fits.
        </p>
      )}
      {shown.length > 0 && <JobTable jobs={shown} />}
      {jobs.hasNextPage && (
        <div>
          <button type="button" className="button" disabled={jobs.isFetchingNextPage} onClick={() => void jobs.fetchNextPage()}>
            Show older jobs
          </button>
        </div>
      )}
    </div>
  )
}

function Filters({ search }: { search: MiningSearch }) {
  const navigate = useNavigate({ from: '/mining' })
  const put = (part: Partial<Record<keyof MiningSearch, string>>) => void navigate({ search: (before) => miningParts({ ...before, ...part }), replace: true })
  return (
    <search className="row">
      <input
        className="field"
        type="search"
        aria-label="Search jobs by dataset, model, strategy or queue"
        placeholder="Dataset, model, strategy"
        defaultValue={search.q ?? ''}
        onChange={({ target }) => put({ q: target.value })}
      />
      <select className="field" aria-label="State" value={search.state ?? ''} onChange={({ target }) => put({ state: target.value })}>
        <option value="">every state</option>
        {jobStates.map((state) => (
          <option key={state}>{state}</option>
        ))}
      </select>
    </search>
  )
}

/** An empty choice leaves the address. */
function miningParts({ q, state }: Partial<Record<keyof MiningSearch, string>>): MiningSearch {
  return { ...(q ? { q } : {}), ...(state ? { state: state as JobState } : {}) }
}

function JobTable({ jobs }: { jobs: MiningJob[] }) {
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">Mining jobs, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">Strategy</th>
            <th scope="col">Pool</th>
            <th scope="col">Model</th>
            <th scope="col" className="number">
              Picks
            </th>
            <th scope="col">Queue</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function JobRow({ job }: { job: MiningJob }) {
  const { state, progress } = job.job
  const live = state === 'running' || state === 'queued'
  return (
    <tr>
      <th scope="row">
        <Link to="/mining/$job" params={{ job: String(job.id) }}>
          Mining {job.id}
        </Link>
      </th>
      <td>
        <JobChip state={state} />
        {state === 'running' && (
          <>
            <Progress done={progress.done} total={progress.total} label={`Mining ${job.id}`} />
            <p className="quiet small">{progressWords(job.job)}</p>
          </>
        )}
      </td>
      <td>{job.strategy.name.replaceAll('_', ' ')}</td>
      <td>
        {job.dataset} <span className="quiet">v{job.version}</span>
      </td>
      <td>{job.model}</td>
      <td className="number">
        {live || state === 'succeeded' ? count(job.count) : '–'}
        {job.control > 0 && <span className="quiet small"> {percent(job.control, 0)} random</span>}
      </td>
      <td>
        {job.queue === null ? (
          '–'
        ) : (
          <Link to="/label/$queue" params={{ queue: job.queue }}>
            {job.queue}
          </Link>
        )}
      </td>
      <td className="quiet">{when(job.created)}</td>
    </tr>
  )
}
