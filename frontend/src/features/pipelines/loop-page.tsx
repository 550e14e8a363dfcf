import { Link } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { pipelinesList } from '../../shared/api/lists'
import type { Pipeline } from '../../shared/api/types'
import { NoneLeft } from '../../shared/lifecycle/none-left'
import { useList } from '../../shared/lists/pages'
import { usePicked } from '../../shared/project-choice/picked'
import { Empty, Failure } from '../../shared/ui/messages'
import { JobsPanel } from './jobs-panel'
import { PipelineBody, Waiting } from './pipeline-body'

/** Where the loop stands: the pipeline that somebody opening the page most likely means, beside all that could be compared. */
export function LoopPage() {
  const { rows, error, retry } = useList(pipelinesList(usePicked(), {}, true))
  if (!rows && error === null) return <Waiting />
  if (!rows) {
    return (
      <div className="page">
        <Failure what="The pipelines could not be loaded" error={error} retry={retry} />
      </div>
    )
  }
  const chosen = mostAlive(rows)
  if (!chosen) return <NoPipeline />
  return <PipelineBody chosen={chosen} stale={error !== null} aside={<JobsPanel />} />
}

/** The oldest that runs or waits, else the oldest, of the newest ones. */
export function mostAlive(pipelines: readonly Pipeline[]): Pipeline | undefined {
  return pipelines.findLast(({ state }) => state === 'running' || state === 'waiting_for_labels') ?? pipelines.at(-1)
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
