import './jobs.css'

import { Link, useParams } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { explainRecorded } from '../../shared/api/errors'
import type { JobDetail } from '../../shared/api/types'
import { progressWords, waitingWords } from '../../shared/format/jobs'
import { plural, when } from '../../shared/format/numbers'
import { CancelJob } from '../../shared/live/cancel-job'
import { LogTail } from '../../shared/live/log-tail'
import { useLive } from '../../shared/live/use-live'
import { JobChip } from '../../shared/ui/job-chip'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { MissingWorker } from '../../shared/ui/missing-worker'
import { PageLink } from '../../shared/ui/page-link'
import { Progress } from '../../shared/ui/progress'
import { kindWords } from './kinds'
import { Outcome } from './outcome'
import { Priority } from './priority'
import { RetryButton } from './retry-button'
import { ShardsPanel } from './shards-panel'

export function JobPage() {
  const { id } = useParams({ from: '/inside/jobs/$id' })
  const { data: job, error, refetch } = useLive(Number(id))
  if (job) return <JobView key={job.id} job={job} />
  return (
    <div className="page" aria-busy={!error}>
      {error ? (
        <Failure
          what={`Job ${id} could not be loaded`}
          error={error}
          safe="It continues without this page."
          retry={() => void refetch()}
          elsewhere={<Link to="/jobs" className="button">To the jobs</Link>}
        />
      ) : (
        <>
          <Skeleton height={28} width={320} />
          <Skeleton height={320} />
        </>
      )}
    </div>
  )
}

function JobView({ job }: { job: JobDetail }) {
  const mayBuild = useMay('build')
  const live = job.state === 'running' || job.state === 'queued'
  return (
    <div className="page">
      <header className="page-head">
        <h1>{job.title}</h1>
        <JobChip state={job.state} />
        <span className="quiet">
          {kindWords(job.kind)}, job {job.id}
          {job.project !== null && ` in ${job.project}`} · {when(job.created)}
        </span>
        <span className="grow" />
        {live && <Priority job={job} />}
        {live && <CancelJob job={job} />}
        {job.retriable && mayBuild && <RetryButton job={job} />}
        {!job.href.startsWith('/jobs/') && (
          <PageLink href={job.href} className="button primary">
            Open what the job belongs to
          </PageLink>
        )}
      </header>
      <WhatFailed job={job} />
      <MissingWorker job={job} />
      <section className="panel panel-body stack" aria-label="Progress">
        <Progress done={job.progress.done} total={job.progress.total} label={job.title} />
        <p className="quiet small" role="status">
          {job.state === 'queued' ? 'It waits for a worker. ' : `${progressWords(job)} `}
          {waitingWords(job)}{' '}
          {job.state === 'queued' && <Link to="/workers">See the workers</Link>}
          {job.failed_shards > 0 && ` · ${plural(job.failed_shards, 'failed shard')}`}
        </p>
      </section>
      <div className="job-columns">
        <section className="panel" aria-labelledby="log">
          <div className="panel-head">
            <h2 id="log">Log</h2>
          </div>
          <div className="panel-body">
            <LogTail id={job.id} title={job.title} />
          </div>
        </section>
        <Outcome job={job} />
      </div>
      <ShardsPanel job={job} />
    </div>
  )
}

function WhatFailed({ job }: { job: JobDetail }) {
  const mayBuild = useMay('build')
  const error = explainRecorded(job.error)
  if (error === null || job.state !== 'failed') return null
  return (
    <div className="message bad" role="alert">
      <h2>It failed</h2>
      <p>{error}</p>
      <p className="quiet">
        {job.retriable && mayBuild
          ? 'Finished shards stay finished; a retry runs only the others.'
          : 'What it finished is kept. Start this kind of job again from its own page.'}
      </p>
    </div>
  )
}
