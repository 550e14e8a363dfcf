import type { Job } from '../api/types'
import { progressWords } from '../format/jobs'
import { CancelJob } from '../live/cancel-job'
import { JobChip } from '../ui/job-chip'
import { Progress } from '../ui/progress'

interface JobCellProps {
  job: Job
  /** What is worked on, where the row has another name for it than the job. */
  name?: string
}

/** The state of a row's job; while it runs, how far it is, what is left and a way to stop it. */
export function JobCell({ job, name = job.title }: JobCellProps) {
  const { state, progress } = job
  const live = state === 'running' || state === 'queued'
  return (
    <div className="stack job-cell">
      <span className="row">
        <JobChip state={state} />
        {live && <CancelJob job={job} name={name} little />}
      </span>
      {state === 'running' && (
        <>
          <Progress done={progress.done} total={progress.total} label={name} />
          <p className="quiet small">{progressWords(job)}</p>
        </>
      )}
    </div>
  )
}
