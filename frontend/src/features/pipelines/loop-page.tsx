import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import type { Pipeline } from '../../shared/api/types'
import { NoneLeft } from '../../shared/lifecycle/none-left'
import { usePicked } from '../../shared/project-choice/picked'
import { Empty, Failure } from '../../shared/ui/messages'
import { JobsPanel } from './jobs-panel'
import { PipelineBody, Waiting } from './pipeline-body'
import { livePipelinesQuery } from './queries'

/** Where the loop stands: the pipeline that somebody opening the page most likely means, beside all that could be compared. */
export function LoopPage() {
  const pipelines = useQuery(livePipelinesQuery(usePicked()))
  if (pipelines.isPending) return <Waiting />
  if (!pipelines.data) {
    return (
      <div className="page">
        <Failure what="The pipelines could not be loaded" error={pipelines.error} retry={() => void pipelines.refetch()} />
      </div>
    )
  }
  const chosen = mostAlive(pipelines.data)
  if (!chosen) return <NoPipeline />
  return <PipelineBody chosen={chosen} all={pipelines.data} stale={pipelines.isError} aside={<JobsPanel />} />
}

/** One that runs or waits, else the first. */
export function mostAlive(pipelines: Pipeline[]): Pipeline | undefined {
  return pipelines.find((each) => each.state === 'running' || each.state === 'waiting_for_labels') ?? pipelines[0]
}

function NoPipeline() {
  if (!useMay('build')) {
    return (
      <div className="page">
        <h1>Loop</h1>
        <Empty><NoneLeft kind="pipeline" /></Empty>
      </div>
    )
  }
  return (
    <div className="page">
      <h1>Loop</h1>
      <Empty
        action={
          <Link to="/pipelines/new" className="button primary">
            Create a pipeline
          </Link>
        }
      >
        <NoneLeft kind="pipeline" /> Create one here, or run make demo to see the loop on real images.
      </Empty>
    </div>
  )
}
