import '../features/home/home.css'

import { FailedNow, JobsNow } from '../features/home/jobs-now'
import { LabelNow } from '../features/home/label-now'
import { Serving } from '../features/home/serving'
import { LoopSummary } from '../features/pipelines/loop-summary'

/** What somebody who comes to work looks for: what to label, where the loop stands, what runs, what failed, what serves. */
export function HomePage() {
  return (
    <div className="page">
      <h1>My work</h1>
      <div className="home-grid">
        <div>
          <LabelNow />
          <LoopSummary />
        </div>
        <div>
          <FailedNow />
          <JobsNow />
          <Serving />
        </div>
      </div>
    </div>
  )
}
