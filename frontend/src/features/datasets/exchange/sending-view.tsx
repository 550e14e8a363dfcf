import { useQueryClient } from '@tanstack/react-query'

import { ApiProblem } from '../../../shared/api/errors'
import type { Commit } from '../../../shared/api/types'
import { bytes } from '../../../shared/format/numbers'
import { JobProgress } from '../../../shared/live/job-progress'
import { Failure } from '../../../shared/ui/messages'
import { Progress } from '../../../shared/ui/progress'
import { Added } from './added'
import { NotTaken } from './not-taken'
import type { useUpload } from './use-upload'

interface SendingViewProps {
  sending: ReturnType<typeof useUpload>
  dataset: string
  /** Where it stands in a dialog. */
  onClose?: () => void
}

/** How far files or an archive are on their way, and what became of them. */
export function SendingView({ sending, dataset, onClose }: SendingViewProps) {
  const client = useQueryClient()
  const again = () => void sending.again().then(() => client.invalidateQueries({ queryKey: ['datasets'] }))
  const closing = onClose === undefined ? {} : { onClose }
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
              ? 'If the upload is interrupted, choose the same archive again within a week: only what is missing is sent.'
              : 'Closing this stops the upload. The dataset stays as it is until the last file has arrived.'}
          </p>
        </div>
      )
    case 'failed':
      return (
        <div className="stack">
          <Failure what="The files were not added" error={sending.error} safe="The dataset was not changed." retry={again} />
          {sending.error instanceof ApiProblem && <NotTaken rejected={sending.error.problem.rejected ?? []} />}
        </div>
      )
    case 'reading':
      return (
        <JobProgress id={sending.job} what="Reading the files" safe="The dataset was not changed; you can send the files again.">
          {(job) => <Added commit={job.result as unknown as Commit} dataset={dataset} {...closing} />}
        </JobProgress>
      )
    case 'done':
      return <Added commit={sending.commit} dataset={dataset} {...closing} />
  }
}
