import '../features/home/home.css'

import { useQuery } from '@tanstack/react-query'

import { FailedNow, JobsNow } from '../features/home/jobs-now'
import { LabelNow } from '../features/home/label-now'
import { Serving } from '../features/home/serving'
import { LoopSummary } from '../features/pipelines/loop-summary'
import { reviews } from '../shared/access/roles'
import { sessionQuery } from '../shared/api/queries'

/** What somebody who comes to work looks for: what to label; for reviewers also where the loop stands, what runs, failed, serves. */
export function HomePage() {
  const canReview = reviews(useQuery(sessionQuery).data?.user.role)
  return (
    <div className="page">
      <h1>My work</h1>
      <div className="home-grid">
        <div>
          <LabelNow />
          {canReview && <LoopSummary />}
        </div>
        {canReview && (
          <div>
            <FailedNow />
            <JobsNow />
            <Serving />
          </div>
        )}
      </div>
    </div>
  )
}
