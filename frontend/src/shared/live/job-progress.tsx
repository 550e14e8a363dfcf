import type { ReactNode } from 'react'

import { explainRecorded, isStatus } from '../api/errors'
import type { JobDetail } from '../api/types'
import { progressWords, waitingWords } from '../format/jobs'
import { Failure } from '../ui/messages'
import { Progress } from '../ui/progress'
import { useLive } from './use-live'

interface JobProgressProps {
  id: number
  /** What the job does: `The export`. */
  what: string
  /** What is not in danger when it failed, and what to do. */
  safe: string
  children: (finished: JobDetail) => ReactNode
}

/** A job while it goes on, why it failed if it did, and what its result brings. */
export function JobProgress({ id, what, safe, children }: JobProgressProps) {
  const { data: job, error } = useLive(id)
  if (!job) return error ? <Failure what={`${what} could not be followed`} error={error} {...(isStatus(error, 404) ? {} : { safe: 'It continues without this page.' })} /> : <p className="quiet">Reading…</p>
  if (job.state === 'failed' || job.state === 'cancelled') {
    return (
      <div className="message bad" role="alert">
        <h2>
          {what} {job.state === 'failed' ? 'failed' : 'was cancelled'}
        </h2>
        <p>{explainRecorded(job.error) ?? 'Somebody stopped it.'}</p>
        <p className="quiet">{safe}</p>
      </div>
    )
  }
  if (job.state === 'succeeded') return <>{children(job)}</>
  return (
    <div className="stack">
      <Progress done={job.progress.done} total={job.progress.total} label={what} />
      <p className="quiet small" role="status">
        {job.state === 'queued' ? `${what} waits for a worker.` : progressWords(job)} {waitingWords(job)}
      </p>
    </div>
  )
}
