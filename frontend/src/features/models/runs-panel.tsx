import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { when } from '../../shared/format/numbers'
import { MoreRows } from '../../shared/lists/more-rows'
import { useList } from '../../shared/lists/pages'
import { JobChip } from '../../shared/ui/job-chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { modelRunsList } from './queries'

/** As many as the server puts side by side. */
const mostCompared = 10

/** The newest trainings of a model. */
export function RunsPanel({ model }: { model: string }) {
  const runs = useList(modelRunsList(model))
  const [ticked, setTicked] = useState<readonly number[]>([])
  const tick = (id: number) => setTicked(ticked.includes(id) ? ticked.filter((each) => each !== id) : [...ticked, id].slice(-mostCompared))
  return (
    <section className="panel" aria-labelledby="runs">
      <div className="panel-head">
        <h2 id="runs" className="grow">
          Runs
        </h2>
        {ticked.length >= 2 ? (
          <Link to="/runs/compare" search={{ ids: [...ticked].sort((a, b) => a - b).join(',') }} className="button little primary">
            Compare {ticked.length} runs
          </Link>
        ) : (
          (runs.rows?.length ?? 0) > 1 && <span className="quiet small">tick runs to compare them</span>
        )}
        <Link to="/runs" search={{ model }} className="small">
          all in a table
        </Link>
      </div>
      {!runs.rows && runs.error === null && (
        <div className="panel-body">
          <Skeleton height={80} />
        </div>
      )}
      {!runs.rows && runs.error !== null && <Failure what="The runs could not be loaded" error={runs.error} retry={runs.retry} />}
      {runs.rows?.length === 0 && <Empty>This model has no training runs yet.</Empty>}
      {runs.rows && runs.rows.length > 0 && (
        <ul>
          {runs.rows.map((run) => (
            <li key={run.id} className="move row wrap">
              <input type="checkbox" aria-label={`Compare run ${run.id}`} checked={ticked.includes(run.id)} onChange={() => tick(run.id)} />
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
      <MoreRows noun="runs" reading={runs} byHand />
    </section>
  )
}
