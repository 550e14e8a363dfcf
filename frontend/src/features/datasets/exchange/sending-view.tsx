import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { ApiProblem } from '../../../shared/api/errors'
import { bytes } from '../../../shared/format/numbers'
import { JobProgress } from '../../../shared/live/job-progress'
import { Failure } from '../../../shared/ui/messages'
import { Progress } from '../../../shared/ui/progress'
import { NotTaken } from './not-taken'
import type { Sending, SendingControl } from './use-sending'

interface SendingViewProps<Result> {
  sending: Sending<Result> & SendingControl
  /** What the files go into: `dataset`. */
  into: string
  /** Shows what became of them. */
  children: (result: Result) => ReactNode
}

/** How far files or an archive are on their way, and what became of them. */
export function SendingView<Result>({ sending, into, children }: SendingViewProps<Result>) {
  const client = useQueryClient()
  const again = () => void sending.again().then(() => client.invalidateQueries({ queryKey: ['datasets'] }))
  const unchanged = `The ${into} was not changed`
  switch (sending.state) {
    case 'idle':
      return null
    case 'sending':
    case 'waiting':
      return (
        <div className="stack">
          <Progress done={sending.sent} total={sending.total} label="Sent" />
          <p className="quiet small" role="status">
            {sending.state === 'waiting' && 'The server does not answer. The upload resumes when the connection is back. '}
            {sending.sent < sending.total ? `${bytes(sending.sent)} of ${bytes(sending.total)} sent` : 'Everything is sent; the server is checking it.'}
          </p>
          <p className="quiet small">
            {sending.resumable
              ? 'If the upload is interrupted, choose the same again within a week: only what is missing is sent.'
              : `Closing this stops the upload. The ${into} stays as it is until the last file has arrived.`}
          </p>
        </div>
      )
    case 'failed':
      return (
        <div className="stack">
          <Failure what="The files were not added" error={sending.error} safe={`${unchanged}.`} retry={again} />
          {sending.error instanceof ApiProblem && <NotTaken rejected={sending.error.problem.rejected ?? []} />}
        </div>
      )
    case 'reading':
      return (
        <JobProgress id={sending.job} what="Reading the files" safe={`${unchanged}; you can send the files again.`}>
          {(job) => children(job.result as Result)}
        </JobProgress>
      )
    case 'done':
      return <>{children(sending.result)}</>
  }
}
