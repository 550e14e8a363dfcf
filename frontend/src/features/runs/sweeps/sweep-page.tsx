import './sweeps.css'
import '../runs.css'
import '../table/table.css'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { api, take } from '../../../shared/api/client'
import type { Sweep, Trial } from '../../../shared/api/types'
import { percent } from '../../../shared/format/numbers'
import { LifecycleMenu } from '../../../shared/lifecycle/lifecycle-menu'
import { jobPace } from '../../../shared/live/interval'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { Progress } from '../../../shared/ui/progress'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { metricShort } from '../../../tasktypes/metric-words'
import { FilterBar } from '../table/filter-bar'
import { Parallel } from '../table/parallel'
import { chosen, type Range } from '../table/ranges'
import { BestVersions } from './best-versions'
import { SweepChip } from './chips'
import { sweepQuery, trialsQuery } from './queries'
import { valuesWords } from './searched'
import { trialColumns } from './trial-columns'
import { TrialRows } from './trial-rows'
import { bestWords, ended, prunerWords, samplerWords, trialWords } from './words'

export function SweepPage() {
  const { id } = useParams({ from: '/inside/sweeps/$id' })
  const sweep = useQuery(sweepQuery(id))
  const trials = useQuery(trialsQuery(id, sweep.data?.state === 'running'))
  if (sweep.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={280} />
        <Skeleton height={360} />
      </div>
    )
  }
  if (!sweep.data) {
    return (
      <div className="page">
        <Failure
          what={`Sweep ${id} could not be read`}
          error={sweep.error}
          safe="Its trials go on without this page."
          retry={() => void sweep.refetch()}
          elsewhere={<Link to="/sweeps" className="button">To the sweeps</Link>}
        />
      </div>
    )
  }
  return (
    <div className="page">
      <Head sweep={sweep.data} />
      {sweep.data.error !== '' && (
        <div className="message bad" role="alert">
          <h2>The sweep failed</h2>
          <p>{sweep.data.error}</p>
        </div>
      )}
      <section className="panel panel-body stack" aria-label="Progress">
        {sweep.data.state === 'running' && <Progress done={ended(sweep.data)} total={sweep.data.trials} label={sweep.data.name} />}
        <p className="quiet small" role="status">
          {trialWords(sweep.data)}.
        </p>
      </section>
      {sweep.data.best && <Best sweep={sweep.data} trial={sweep.data.best} trials={trials.data ?? []} />}
      {trials.isError && !trials.data && <Failure what="The trials could not be read" error={trials.error} retry={() => void trials.refetch()} />}
      {trials.data && <Trials sweep={sweep.data} trials={trials.data} />}
      <div className="run-columns">
        <Importance sweep={sweep.data} />
        <Searched sweep={sweep.data} />
      </div>
    </div>
  )
}

function Head({ sweep }: { sweep: Sweep }) {
  const navigate = useNavigate()
  const mayBuild = useMay('build')
  const cancel = useMutation({
    mutationFn: () => take(api.POST('/sweeps/{sweep}/cancel', { params: { path: { sweep: String(sweep.id) } } })),
    meta: { refused: 'The sweep was not cancelled.', renews: [['sweeps'], ['runs'], ['jobs']] },
  })
  return (
    <header className="page-head">
      <h1>{sweep.name}</h1>
      <SweepChip state={sweep.state} />
      <span className="quiet">
        <Link to="/models/$model" params={{ model: sweep.model }}>
          {sweep.model}
        </Link>{' '}
        on{' '}
        <Link to="/datasets/$id" params={{ id: sweep.dataset }} search={{ v: sweep.version }}>
          {sweep.dataset} v{sweep.version}
        </Link>{' '}
        · {samplerWords[sweep.sampler]}, {prunerWords[sweep.pruner]}
      </span>
      <span className="grow" />
      {mayBuild && sweep.state === 'running' && (
        <button type="button" className="button" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          {cancel.isPending ? 'Cancelling…' : 'Cancel'}
        </button>
      )}
      <LifecycleMenu kind="sweep" thing={sweep} onDeleted={() => navigate({ to: '/sweeps' })} />
    </header>
  )
}

function Best({ sweep, trial, trials }: { sweep: Sweep; trial: Trial; trials: readonly Trial[] }) {
  return (
    <section className="panel panel-body stack" aria-label="Best trial">
      <div className="row wrap">
        <strong>
          Trial {trial.number} is best{sweep.state === 'running' && ' so far'}: {bestWords(sweep)}
        </strong>
        <span className="grow" />
        {trial.run !== null && (
          <Link to="/runs/$id" params={{ id: String(trial.run) }} className="button">
            Run {trial.run}
          </Link>
        )}
        <BestVersions sweep={sweep} trials={trials} />
        <MakeVersion sweep={sweep} trial={trial} />
      </div>
      <dl className="best-settings">
        {Object.entries(trial.params).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono">{typeof value === 'number' ? Number(value.toPrecision(6)) : typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The version that a trial became, or what makes one of it. */
function MakeVersion({ sweep, trial }: { sweep: Sweep; trial: Trial }) {
  const mayBuild = useMay('build')
  const make = useMutation({
    mutationFn: (id: number) => take(api.POST('/runs/{id}/register', { params: { path: { id } } })),
    meta: { refused: 'No version was made.', renews: [['sweeps'], ['runs'], ['jobs']] },
  })
  const { run, model_version: made, job_state: state } = trial
  if (made !== null) {
    return (
      <Link to="/models/$model/$version" params={{ model: sweep.model, version: String(made) }} className="button primary">
        {sweep.model} v{made}
      </Link>
    )
  }
  if (run === null || !mayBuild) return null
  const live = state !== null && jobPace(state) !== 'finished'
  const refusal = live ? 'Its job is still running.' : state === 'succeeded' ? null : 'Only a trial whose training succeeded becomes a version.'
  return (
    <RefusableButton className="button primary" refusal={make.isPending ? 'It is being started.' : refusal} onClick={() => make.mutate(run)}>
      {live ? 'Exporting and proving…' : state === 'failed' ? 'The export failed' : 'Make it a version'}
    </RefusableButton>
  )
}

function Trials({ sweep, trials }: { sweep: Sweep; trials: readonly Trial[] }) {
  const [ranges, setRanges] = useState<readonly Range[]>([])
  const [looked, setLooked] = useState<number | null>(null)
  const columns = useMemo(() => trialColumns(sweep, trials), [sweep, trials])
  const places = chosen(columns, ranges, trials.length)
  const drawable = columns.filter(({ values }) => new Set(values).size > 1)
  const onRange = (column: string, range: Range | null) => setRanges([...ranges.filter((one) => one.column !== column), ...(range ? [range] : [])])
  if (trials.length === 0) return <Empty>The first trials have not begun yet.</Empty>
  return (
    <>
      <section className="panel" aria-labelledby="parallel">
        <div className="panel-head">
          <h2 id="parallel" className="grow">
            Settings and {metricShort(sweep.metric)}
          </h2>
          {drawable.length > 1 && <span className="quiet small">{looked === null ? 'drag along an axis to choose a part of it' : `trial ${trials[looked]?.number ?? ''}`}</span>}
        </div>
        {drawable.length > 1 ? (
          <Parallel columns={drawable} runs={trials.map(({ number }) => number)} shown={places} ranges={ranges} looked={looked} onLook={setLooked} onRange={onRange} noun="trials" />
        ) : (
          <p className="panel-body quiet">There is nothing to draw until two trials differ in two of the columns.</p>
        )}
        <FilterBar columns={columns} ranges={ranges} onRange={onRange} />
      </section>
      <TrialRows model={sweep.model} trials={trials} columns={columns} places={places} looked={looked} onLook={setLooked} lowestFirst={sweep.direction === 'minimize'} />
    </>
  )
}

function Importance({ sweep }: { sweep: Sweep }) {
  return (
    <section className="panel" aria-labelledby="importance">
      <div className="panel-head">
        <h2 id="importance">Which settings matter</h2>
      </div>
      <div className="panel-body stack">
        {sweep.importance.length === 0 ? (
          <p className="quiet">Not known: five complete trials that differ in {metricShort(sweep.metric)} are needed.</p>
        ) : (
          <>
            <p className="quiet small">The share of the differences in {metricShort(sweep.metric)} between complete trials that each setting explains (fANOVA).</p>
            <ul className="importance">
              {sweep.importance.map(({ name, share }) => (
                <li key={name}>
                  <span className="cut" title={name}>
                    {name}
                  </span>
                  <span className="bar" aria-hidden>
                    <span style={{ width: `${share * 100}%` }} />
                  </span>
                  <span className="number">{percent(share, 0)}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}

function Searched({ sweep }: { sweep: Sweep }) {
  return (
    <section className="panel" aria-labelledby="searched">
      <div className="panel-head">
        <h2 id="searched">Searched</h2>
      </div>
      <dl className="panel-body best-settings">
        {Object.entries(sweep.space).map(([name, setting]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono">{valuesWords(setting)}</dd>
          </div>
        ))}
        <div>
          <dt>every trial</dt>
          <dd className="mono">
            {sweep.architecture}, seed {sweep.seed}
            {Object.keys(sweep.config).length > 0 && `, ${JSON.stringify(sweep.config)}`}
          </dd>
        </div>
      </dl>
    </section>
  )
}
