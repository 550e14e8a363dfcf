import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Copy, Pencil } from 'lucide-react'

import { useMay } from '../../shared/access/use-may'
import { LifecycleMenu } from '../../shared/lifecycle/lifecycle-menu'
import { Failure } from '../../shared/ui/messages'
import { BudgetPanel } from './budget-panel'
import { ForecastPanel } from './forecast-panel'
import { PipelineBody, Waiting } from './pipeline-body'
import { pipelineQuery } from './queries'
import { RunsWhenPanel } from './runs-when-panel'
import { SettingsPanel } from './settings-panel'

export function PipelinePage() {
  const { id } = useParams({ from: '/inside/pipelines/$id' })
  const navigate = useNavigate()
  const mayBuild = useMay('build')
  const { data: chosen, error, isPending, isError, refetch } = useQuery(pipelineQuery(id))
  if (isPending) return <Waiting />
  if (!chosen) {
    return (
      <div className="page">
        <Failure
          what={`The pipeline “${id}” could not be loaded`}
          error={error}
          retry={() => void refetch()}
          elsewhere={<Link to="/pipelines" className="button">To the pipelines</Link>}
        />
      </div>
    )
  }
  return (
    <PipelineBody
      chosen={chosen}
      stale={isError}
      actions={
        <>
          {mayBuild && (
            <>
              <Link to="/pipelines/new" search={{ like: String(chosen.id) }} className="button">
                <Copy size={14} aria-hidden /> New one like it
              </Link>
              <Link to="/pipelines/$id/edit" params={{ id }} className="button">
                <Pencil size={14} aria-hidden /> Edit
              </Link>
            </>
          )}
          <LifecycleMenu kind="pipeline" thing={chosen} onDeleted={() => navigate({ to: '/pipelines' })} />
        </>
      }
      aside={
        <div className="stack wide-gap">
          <RunsWhenPanel pipeline={chosen} />
          <BudgetPanel pipeline={chosen} />
        </div>
      }
      below={
        <div className="even-columns">
          <ForecastPanel key={chosen.id} pipeline={chosen} />
          <SettingsPanel pipeline={chosen} />
        </div>
      }
    />
  )
}
