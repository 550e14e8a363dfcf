import './backtests.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'

import { LifecycleMenu } from '../../shared/lifecycle/lifecycle-menu'
import { explainRecorded } from '../../shared/api/errors'
import type { Backtest } from '../../shared/api/types'
import { CurveChart } from '../../shared/charts/curve-chart'
import { CurveTable } from '../../shared/charts/curve-table'
import { progressWords } from '../../shared/format/jobs'
import { percent, plural } from '../../shared/format/numbers'
import { JobChip } from '../../shared/ui/job-chip'
import { LeftOut } from '../../shared/ui/left-out'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { metricWords } from '../../tasktypes/metric-words'
import { PairedTests } from './paired-tests'
import { backtestQuery } from './queries'
import { TargetTable } from './target-table'
import { unitsOf } from './units'
import { curvesOf, learnerWords } from './words'

export function BacktestPage() {
  const { id } = useParams({ from: '/inside/backtests/$id' })
  const backtest = useQuery(backtestQuery(id))
  if (backtest.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={280} />
        <Skeleton height={360} />
      </div>
    )
  }
  if (!backtest.data) {
    return (
      <div className="page">
        <Failure
          what={`Back-test ${id} could not be read`}
          error={backtest.error}
          retry={() => void backtest.refetch()}
          elsewhere={<Link to="/backtests" className="button">To the back-tests</Link>}
        />
      </div>
    )
  }
  return <Found backtest={backtest.data} />
}

function Found({ backtest }: { backtest: Backtest }) {
  const { job, best } = backtest
  const navigate = useNavigate()
  const error = explainRecorded(job.error)
  return (
    <div className="page">
      <header className="page-head">
        <h1>{backtest.name}</h1>
        <JobChip state={job.state} />
        <span className="quiet">
          <Link to="/datasets/$id" params={{ id: backtest.dataset }} search={{ v: backtest.version }}>
            {backtest.dataset} v{backtest.version}
          </Link>{' '}
          · {learnerWords(backtest.learner)} · {plural(backtest.seeds, 'paired seed')}, {plural(backtest.rounds, 'round')} of {backtest.count} after {plural(backtest.start, unitsOf(backtest).label)}
        </span>
        <span className="grow" />
        <LifecycleMenu kind="backtest" thing={backtest} onDeleted={() => navigate({ to: '/backtests' })} />
      </header>
      {job.state === 'failed' && error !== null && (
        <div className="message bad" role="alert">
          <h2>The back-test failed</h2>
          <p>{error}</p>
        </div>
      )}
      {(job.state === 'running' || job.state === 'queued') && (
        <section className="panel panel-body stack" aria-label="Progress">
          <Progress done={job.progress.done} total={job.progress.total} label={backtest.name} />
          <p className="quiet small" role="status">
            {job.state === 'queued' ? 'It waits for a worker.' : progressWords(job)}
          </p>
        </section>
      )}
      {best && (
        <section className="panel panel-body best" aria-label="Best strategy">
          <strong>{best.headline}</strong>
          <p>{best.reason}</p>
        </section>
      )}
      <LeftOut dataset={backtest.dataset} number={backtest.left_out} one="labelled sample" many="labelled samples" />
      <Curves backtest={backtest} />
      <div className="backtest-tables">
        <TargetTable backtest={backtest} />
        <PairedTests backtest={backtest} />
      </div>
    </div>
  )
}

function Curves({ backtest }: { backtest: Backtest }) {
  const units = unitsOf(backtest)
  const [byObjects, setByObjects] = useState(false)
  const series = useMemo(() => curvesOf(backtest, units.objects), [backtest, units.objects])
  const drawn = useMemo(() => (byObjects ? curvesOf(backtest, units.objects, true) : series), [backtest, byObjects, series, units.objects])
  const counted = byObjects && units.objects !== null ? units.objects : units.labels
  const title = `${metricWords(backtest.metric)} by number of ${counted}`
  return (
    <section className="panel" aria-labelledby="curves">
      <div className="panel-head">
        <h2 id="curves" className="grow">
          {title}
        </h2>
        {backtest.target !== null && <span className="quiet small">the dotted line is the target, {percent(backtest.target)}</span>}
      </div>
      <div className="panel-body">
        {series.length === 0 ? (
          <Empty>No replay has finished yet; the curves grow with each seed.</Empty>
        ) : (
          <>
            {units.objects !== null && (
              <div className="row" role="group" aria-label="What is counted">
                <button type="button" className="button little" aria-pressed={!byObjects} onClick={() => setByObjects(false)}>
                  By {units.labels}
                </button>
                <button type="button" className="button little" aria-pressed={byObjects} onClick={() => setByObjects(true)}>
                  By {units.objects}
                </button>
              </div>
            )}
            <CurveChart title={title} series={drawn} target={backtest.target} counted={counted} bands="Lines are means over the seeds; bands are their 95 % intervals." />
            <CurveTable series={series} counted={units.objects === null ? 'Labels' : 'Images'} />
          </>
        )}
      </div>
    </section>
  )
}
