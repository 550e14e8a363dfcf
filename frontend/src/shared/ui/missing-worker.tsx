import { Link } from '@tanstack/react-router'

import type { Job } from '../api/types'

/** Why no living worker can do what a job has to do now; nothing where one can. */
export function MissingWorker({ job }: { job: Job }) {
  if (!job.missing) return null
  return (
    <div className="message warn" role="status">
      <h2>No worker can do it now</h2>
      <p>{job.missing.charAt(0).toUpperCase() + job.missing.slice(1)}.</p>
      <p className="quiet">
        It starts by itself when such a worker comes. <Link to="/workers">See the workers</Link>
      </p>
    </div>
  )
}
