import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { when } from '../../shared/format/numbers'
import { JobChip } from '../../shared/ui/job-chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { modelRunsQuery } from './queries'

/** The newest trainings of a model. */
export function RunsPanel({ model }: { model: string }) {
  const runs = useQuery(modelRunsQuery(model))
  return (
    <section className="panel" aria-labelledby="runs">
      <div className="panel-head">
        <h2 id="runs">Runs</h2>
      </div>
      {runs.isPending && (
        <div className="panel-body">
          <Skeleton height={80} />
        </div>
      )}
      {runs.isError && !runs.data && <Failure what="The runs could not be read" error={runs.error} retry={() => void runs.refetch()} />}
      {runs.data?.length === 0 && <Empty>Nothing was trained for this model yet. POST /runs starts a training.</Empty>}
      {runs.data && runs.data.length > 0 && (
        <ul>
          {runs.data.map((run) => (
            <li key={run.id} className="move row wrap">
              <Link to="/runs/$id" params={{ id: String(run.id) }}>
                Run {run.id}
              </Link>
              <span className="quiet cut">
                {run.architecture} on {run.dataset} v{run.version}
              </span>
              <span className="grow" />
              <JobChip state={run.job.state} />
              <span className="quiet small">{when(run.created)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
