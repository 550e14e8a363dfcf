import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { explain, explainRecorded } from '../../shared/api/errors'
import type { Job } from '../../shared/api/types'
import { progressWords } from '../../shared/format/jobs'
import { useLive } from '../../shared/live/use-live'
import { JobChip } from '../../shared/ui/job-chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { toast } from '../../shared/ui/toast-store'
import { jobsQuery } from './queries'

const finishedShown = 4

export function JobsPanel() {
  const jobs = useQuery(jobsQuery)
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
      {jobs.isError && !jobs.data && <Failure what="The jobs could not be read" error={jobs.error} safe="They go on without this page." />}
      {jobs.data && <JobList jobs={jobs.data} />}
    </section>
  )
}

function JobList({ jobs }: { jobs: Job[] }) {
  const live = jobs.filter((job) => job.state === 'running' || job.state === 'queued')
  const over = jobs.filter((job) => !live.includes(job)).slice(0, finishedShown)
  const queued = live.filter((job) => job.state === 'queued')
  if (jobs.length === 0) return <Empty>No job has run yet. Starting a round makes the first.</Empty>
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
        {live && <Cancel job={job} />}
      </div>
      {job.state === 'running' && <Progress done={job.progress.done} total={job.progress.total} label={job.title} />}
      <p className="quiet small">{progressWords(job)}</p>
      {error !== null && <p className="small round-error">{error}</p>}
      {open && <Log job={job} />}
    </li>
  )
}

function Cancel({ job }: { job: Job }) {
  const client = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => take(api.POST('/jobs/{id}/cancel', { params: { path: { id: job.id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['jobs'] }),
    onError: (error) => toast('bad', `The job goes on. ${explain(error)}`),
  })
  return (
    <button
      type="button"
      className="button little"
      disabled={cancel.isPending}
      onClick={() => cancel.mutate()}
    >
      Cancel<span className="visually-hidden"> {job.title}</span>
    </button>
  )
}

const logLines = 50

function Log({ job }: { job: Job }) {
  const live = useLive(job.id)
  if (!live.data) return <p className="quiet small">Reading the log…</p>
  if (live.data.log.length === 0) return <p className="quiet small">The job has said nothing yet.</p>
  return (
    // A scrolled region must be reachable by keyboard to be scrolled by it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ol className="log mono" aria-label={`Last lines of ${job.title}`} tabIndex={0}>
      {live.data.log.slice(-logLines).map((line) => (
        <li key={line.seq} className={line.level}>
          <time dateTime={line.time}>{line.time.slice(11, 19)}</time> {line.message}
        </li>
      ))}
    </ol>
  )
}
