import './runs.css'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { api, take } from '../../shared/api/client'
import { explainRecorded } from '../../shared/api/errors'
import type { Run } from '../../shared/api/types'
import { progressWords } from '../../shared/format/jobs'
import { needsWords } from '../../shared/needs/words'
import { bytes, duration, rate, when } from '../../shared/format/numbers'
import { LogTail } from '../../shared/live/log-tail'
import { useLive } from '../../shared/live/use-live'
import { JobChip } from '../../shared/ui/job-chip'
import { LeftOut } from '../../shared/ui/left-out'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { MissingWorker } from '../../shared/ui/missing-worker'
import { Notes } from '../../shared/ui/notes'
import { Progress } from '../../shared/ui/progress'
import { Warnings } from '../../shared/ui/warnings'
import { CloneDialog } from './clone-dialog'
import { newest, toCharts } from './curves'
import { changedWords, readWords } from './inputs'
import { runQuery } from './queries'
import { ResultPanel } from './result-panel'
import { RunChart } from './run-chart'
import { Snapshots } from './snapshots'

export function RunPage() {
  const { id } = useParams({ from: '/inside/runs/$id' })
  const run = useQuery(runQuery(Number(id)))
  if (run.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={240} />
        <Skeleton height={420} />
      </div>
    )
  }
  if (!run.data) {
    return (
      <div className="page">
        <Failure
          what={`Run ${id} could not be loaded`}
          error={run.error}
          safe="The training continues without this page."
          retry={() => void run.refetch()}
          elsewhere={<Link to="/runs" className="button">To the runs</Link>}
        />
      </div>
    )
  }
  return <RunView key={run.data.id} run={run.data} />
}

function RunView({ run }: { run: Run }) {
  const error = explainRecorded(run.job.error)
  const live = run.job.state === 'running' || run.job.state === 'queued'
  return (
    <div className="page">
      <Head run={run} />
      {error !== null && (
        <div className="message bad" role="alert">
          <h2>The training failed</h2>
          <p>{error}</p>
          <p className="quiet">What it saved is kept. Resume continues from the newest recovery snapshot; a clone starts from scratch.</p>
        </div>
      )}
      <Status run={run} />
      {run.model_version !== null && <ResultPanel run={run} version={run.model_version} />}
      {run.choice && <p>Chosen by auto: {run.choice.reason}</p>}
      <Warnings warnings={run.warnings} />
      <LeftOut dataset={run.dataset} number={run.left_out} one="labelled sample" many="labelled samples" />
      <Curves run={run} />
      <div className="run-columns">
        <section className="panel" aria-labelledby="log">
          <div className="panel-head">
            <h2 id="log">Log</h2>
          </div>
          <div className="panel-body">
            <LogTail id={run.job.id} title={run.job.title} />
          </div>
        </section>
        <Snapshots run={run} live={live} />
        <Settings run={run} />
        <NotesPanel run={run} />
      </div>
    </div>
  )
}

function Head({ run }: { run: Run }) {
  const [cloning, setCloning] = useState(false)
  const mayBuild = useMay('build')
  const state = run.job.state
  return (
    <header className="page-head">
      <h1>Run {run.id}</h1>
      <JobChip state={state} />
      <span className="quiet">
        {run.architecture} for{' '}
        <Link to="/models/$model" params={{ model: run.model }}>
          {run.model}
        </Link>{' '}
        on{' '}
        <Link to="/datasets/$id" params={{ id: run.dataset }} search={{ v: run.version }}>
          {run.dataset} v{run.version}
        </Link>{' '}
        · {when(run.created)}
      </span>
      <span className="grow" />
      {mayBuild && (
        <>
          {(state === 'running' || state === 'queued') && <Action run={run} action="cancel" />}
          {(state === 'failed' || state === 'cancelled') && <Action run={run} action="resume" />}
          <button type="button" className="button" onClick={() => setCloning(true)}>
            Clone…
          </button>
        </>
      )}
      {run.model_version !== null && (
        <Link to="/models/$model/$version" params={{ model: run.model, version: String(run.model_version) }} className="button primary">
          Version {run.model_version}
        </Link>
      )}
      {cloning && <CloneDialog run={run} onClose={() => setCloning(false)} />}
    </header>
  )
}

function Action({ run, action }: { run: Run; action: 'cancel' | 'resume' }) {
  const client = useQueryClient()
  const params = { params: { path: { id: run.id } } }
  const act = useMutation({
    mutationFn: () => (action === 'cancel' ? take(api.POST('/runs/{id}/cancel', params)) : take(api.POST('/runs/{id}/resume', params))),
    meta: { refused: 'The run was not changed.' },
    onSuccess: () => Promise.all([client.invalidateQueries({ queryKey: ['runs'] }), client.invalidateQueries({ queryKey: ['jobs'] })]),
  })
  return (
    <button type="button" className="button" disabled={act.isPending} onClick={() => act.mutate()}>
      {action === 'cancel' ? 'Cancel' : 'Resume'}
    </button>
  )
}

function Status({ run }: { run: Run }) {
  const live = useLive(run.job.id)
  const points = live.data?.points ?? []
  const job = live.data ?? run.job
  const [speed, left] = [newest(points, 'images_per_second'), newest(points, 'eta_seconds')]
  return (
    <section className="stack" aria-label="Progress">
      <MissingWorker job={job} />
      {job.state === 'running' && <Progress done={job.progress.done} total={job.progress.total} label={job.title} />}
      <p className="quiet" role="status">
        {progressWords(job)}
        {job.state === 'running' && speed !== null && ` · ${rate(speed, 'images')}`}
        {job.state === 'running' && job.progress.eta === null && left !== null && ` · ${duration(left)} left`}
      </p>
    </section>
  )
}

function Curves({ run }: { run: Run }) {
  const live = useLive(run.job.id)
  const points = live.data?.points
  const charts = useMemo(() => toCharts(points ?? []), [points])
  if (live.isPending) return <Skeleton height={420} />
  return (
    <section className="panel" aria-labelledby="curves">
      <div className="panel-head">
        <h2 id="curves">Curves</h2>
      </div>
      {charts.length === 0 ? (
        <Empty>No metrics yet; the curves begin with the first steps.</Empty>
      ) : (
        <div className="panel-body run-charts">
          {charts.map((chart) => (
            <RunChart key={chart.title} chart={chart} />
          ))}
        </div>
      )}
    </section>
  )
}

function Settings({ run }: { run: Run }) {
  const needs = needsWords(run.needs)
  return (
    <section className="panel" aria-labelledby="settings">
      <div className="panel-head">
        <h2 id="settings">Inputs</h2>
      </div>
      <div className="panel-body stack">
        <dl className="facts">
          <dt>Seed</dt>
          <dd>{run.seed}</dd>
          <dt>Started from</dt>
          <dd>{run.parent?.replace('@', ' v') ?? 'fresh weights'}</dd>
          {run.read !== null && (
            <>
              <dt>Read</dt>
              <dd>{readWords(run)}</dd>
            </>
          )}
          {(run.sent_bytes ?? 0) > 0 && (
            <>
              <dt>Exchanged</dt>
              <dd>{bytes(run.sent_bytes ?? 0)} sent by each process</dd>
            </>
          )}
          {needs !== null && (
            <>
              <dt>Needs</dt>
              <dd>{needs}</dd>
            </>
          )}
          {run.cloned_from !== null && (
            <>
              <dt>Cloned from</dt>
              <dd>
                <Link to="/runs/$id" params={{ id: String(run.cloned_from) }}>
                  Run {run.cloned_from}
                </Link>
                {changedWords(run.inputs_changed) !== null && <span>; other samples: {changedWords(run.inputs_changed)}</span>}
              </dd>
            </>
          )}
        </dl>
        {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className="log mono" tabIndex={0} aria-label="Config">
          {JSON.stringify(run.config, null, 2)}
        </pre>
      </div>
    </section>
  )
}

function NotesPanel({ run }: { run: Run }) {
  const mayBuild = useMay('build')
  const client = useQueryClient()
  const save = async (notes: string) => {
    await take(api.PATCH('/runs/{id}', { params: { path: { id: run.id } }, body: { notes } }))
    await client.invalidateQueries({ queryKey: ['runs'] })
  }
  return (
    <section className="panel" aria-labelledby="notes">
      <div className="panel-head">
        <h2 id="notes">Notes</h2>
      </div>
      <div className="panel-body">
        <Notes notes={run.notes} hint="What this run should show" save={mayBuild ? save : null} />
      </div>
    </section>
  )
}
