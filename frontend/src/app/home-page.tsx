import '../features/home/home.css'

import { useQuery } from '@tanstack/react-query'

import { FirstStepsPanel, ShowFirstSteps } from '../features/home/first-steps'
import { FailedNow, JobsNow } from '../features/home/jobs-now'
import { LabelNow } from '../features/home/label-now'
import { MentionsNow } from '../features/home/mentions-now'
import { Serving } from '../features/home/serving'
import { LoopSummary } from '../features/pipelines/loop-summary'
import { useMay } from '../shared/access/use-may'
import { sessionQuery } from '../shared/api/queries'
import { Empty } from '../shared/ui/messages'

/** What somebody who comes to work looks for: what to label; for those who read also where the loop stands, what runs, failed, serves. */
export function HomePage() {
  const canRead = useMay('read')
  const canLabel = useMay('label')
  const canBuild = useMay('build')
  const outside = useQuery(sessionQuery).data?.user.role === null
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="grow">My work</h1>
        {canBuild && <ShowFirstSteps />}
      </header>
      <div className="home-grid">
        <div>
          {canBuild && <FirstStepsPanel />}
          {canLabel && <MentionsNow />}
          {canLabel && <LabelNow />}
          {canRead && <LoopSummary />}
          {outside && <Empty>You are in no project yet. Ask an owner to add you to one.</Empty>}
        </div>
        {canRead && (
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
