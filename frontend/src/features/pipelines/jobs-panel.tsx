import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { explainRecorded } from '../../shared/api/errors'
import type { Job } from '../../shared/api/types'
import { progressWords, waitingWords } from '../../shared/format/jobs'
import { CancelJob } from '../../shared/live/cancel-job'
import { LogTail } from '../../shared/live/log-tail'
import { usePicked } from '../../shared/project-choice/picked'
import { JobChip } from '../../shared/ui/job-chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { PageLink } from '../../shared/ui/page-link'
import { Progress } from '../../shared/ui/progress'
import { jobsQuery } from './queries'

const finishedShown = 4

export function JobsPanel() {
  const jobs = useQuery(jobsQuery(usePicked()))
  return (
    <section className="panel" aria-labelledby="jobs">
      <div className="panel-head">
        <h2 id="jobs">Jobs</h2>
      </div>
      {jobs.isPending && (
        <div className="panel-body stack">
          <Skeleton height={40} />
          <Skeleton height={40} />
        </div>
      )}
      {jobs.isError && !jobs.data && <Failure what="The jobs could not be loaded" error={jobs.error} safe="They continue without this page." />}
      {jobs.data && <JobList jobs={jobs.data} />}
    </section>
  )
}

function JobList({ jobs }: { jobs: Job[] }) {
  const live = jobs.filter((job) => job.state === 'running' || job.state === 'queued')
  const over = jobs.filter((job) => !live.includes(job)).slice(0, finishedShown)
  const queued = live.filter((job) => job.state === 'queued')
  if (jobs.length === 0) return <Empty>No jobs yet. Start a round to create the first one.</Empty>
  return (
    <ul>
      {[...live, ...over].map((job) => (
        <JobRow key={job.id} job={job} place={queued.indexOf(job) + 1} />
      ))}
    </ul>
  )
}

function JobRow({ job, place }: { job: Job; place: number }) {
  const [open, setOpen] = useState(false)
  const live = job.state === 'running' || job.state === 'queued'
  const error = explainRecorded(job.error)
  return (
    <li className="job">
      <div className="row">
        <button type="button" className="job-title grow cut" aria-expanded={open} onClick={() => setOpen(!open)}>
          {job.title}
        </button>
        <JobChip state={job.state} place={place} />
        {live && <CancelJob job={job} name={job.title} little />}
      </div>
      {job.state === 'running' && <Progress done={job.progress.done} total={job.progress.total} label={job.title} />}
      <p className="quiet small">{progressWords(job)}</p>
      {job.missing && <p className="small">It waits: {job.missing}.</p>}
      {job.waiting && <p className="quiet small">{waitingWords(job)}</p>}
      {error !== null && <p className="small round-error">{error}</p>}
      {open && job.href.startsWith('/runs/') && (
        <PageLink href={job.href} className="small">
          Curves of the run
        </PageLink>
      )}
      {open && <LogTail id={job.id} title={job.title} />}
    </li>
  )
}
