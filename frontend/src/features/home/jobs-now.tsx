import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { explainRecorded } from '../../shared/api/errors'
import type { Job } from '../../shared/api/types'
import { progressWords } from '../../shared/format/jobs'
import { when } from '../../shared/format/numbers'
import { CancelJob } from '../../shared/live/cancel-job'
import { usePicked } from '../../shared/project-choice/picked'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { JobChip } from '../../shared/ui/job-chip'
import { Progress } from '../../shared/ui/progress'
import { failedJobsQuery, liveJobsQuery } from './queries'

/** What runs now, with a bar and what is left. */
export function JobsNow() {
  const jobs = useQuery(liveJobsQuery(usePicked()))
  return (
    <section className="panel" aria-labelledby="jobs-now">
      <div className="panel-head">
        <h2 id="jobs-now" className="grow">
          Jobs
        </h2>
        <Link to="/jobs" className="small">
          All jobs
        </Link>
      </div>
      {jobs.isPending && (
        <div className="panel-body">
          <Skeleton height={40} />
        </div>
      )}
      {jobs.isError && !jobs.data?.length && <Failure what="The jobs could not be loaded" error={jobs.error} safe="They continue without this page." />}
      {jobs.isSuccess && jobs.data.length === 0 && <p className="panel-body quiet">No jobs are running.</p>}
      {jobs.data && jobs.data.length > 0 && (
        <ul className="work">
          {jobs.data.map((job) => (
            <LiveJob key={job.id} job={job} />
          ))}
        </ul>
      )}
    </section>
  )
}

function LiveJob({ job }: { job: Job }) {
  return (
    <li className="stack work-line">
      <span className="row">
        <Link to="/jobs/$id" params={{ id: String(job.id) }} className="grow cut">
          {job.title}
        </Link>
        <JobChip state={job.state} />
        <CancelJob job={job} name={job.title} little />
      </span>
      {job.state === 'running' && <Progress done={job.progress.done} total={job.progress.total} label={job.title} />}
      <span className="quiet small">{job.state === 'queued' ? 'waits for a worker' : progressWords(job)}</span>
    </li>
  )
}

/** What failed last and why; nothing where nothing did. */
export function FailedNow() {
  const jobs = useQuery(failedJobsQuery(usePicked())).data ?? []
  if (jobs.length === 0) return null
  return (
    <section className="panel" aria-labelledby="failed-now">
      <div className="panel-head">
        <h2 id="failed-now" className="grow">
          Failed last
        </h2>
        <Link to="/jobs" search={{ state: 'failed' }} className="small">
          All failed jobs
        </Link>
      </div>
      <ul className="work">
        {jobs.map((job) => (
          <li key={job.id} className="stack work-line">
            <span className="row">
              <Link to="/jobs/$id" params={{ id: String(job.id) }} className="grow cut">
                {job.title}
              </Link>
              <span className="quiet small">{when(job.finished ?? job.created)}</span>
            </span>
            <span className="small failed-words">{explainRecorded(job.error) ?? 'It failed; no reason was given.'}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
