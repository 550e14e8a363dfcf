import './mining.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { explainRecorded } from '../../shared/api/errors'
import type { MiningJob, MiningJobDetail } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { CancelJob } from '../../shared/live/cancel-job'
import { LogTail } from '../../shared/live/log-tail'
import { JobChip } from '../../shared/ui/job-chip'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { LeftOut } from '../../shared/ui/left-out'
import { MissingWorker } from '../../shared/ui/missing-worker'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { withoutModel } from './fitting'
import { HistogramPanel } from './histogram-panel'
import { JobFacts } from './job-facts'
import { JobHeadline } from './job-headline'
import { KeptOut } from './kept-out'
import { PicksPanel } from './picks-panel'
import { ProgressPanel } from './progress-panel'
import { QuarantinePanel } from './quarantine-panel'
import { QueueDialog } from './queue-dialog'
import { miningJobQuery, useClasses } from './queries'
import { WhyDrawer } from './why-drawer'

export function MiningJobPage() {
  const { job: id } = useParams({ from: '/inside/mining/$job' })
  const job = useQuery(miningJobQuery(Number(id)))
  if (job.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={320} />
        <Skeleton height={80} />
        <Skeleton height={320} />
      </div>
    )
  }
  if (!job.data) {
    return (
      <div className="page">
        <Failure
          what={`Mining job ${id} could not be loaded`}
          error={job.error}
          retry={() => void job.refetch()}
          elsewhere={<Link to="/mining" className="button">To the mining jobs</Link>}
        />
      </div>
    )
  }
  return <Mining job={job.data} />
}

function Mining({ job }: { job: MiningJobDetail }) {
  const { pick } = useSearch({ from: '/inside/mining/$job' })
  const navigate = useNavigate({ from: '/mining/$job' })
  const open = (rank: number | undefined) => void navigate({ search: rank === undefined ? {} : { pick: rank }, replace: pick !== undefined, resetScroll: false })
  const classes = useClasses(job)
  const [cut, setCut] = useState<number | null>(null)
  const { state } = job.job
  const live = state === 'running' || state === 'queued'
  const error = explainRecorded(job.job.error)
  return (
    <div className="page">
      <header className="page-head">
        <h1>Mining {job.id}</h1>
        <JobChip state={state} />
        <span className="quiet">
          {job.strategy.name.replaceAll('_', ' ')}, {job.count} picks{job.control > 0 && `, ${percent(job.control, 0)} at random`} ·{' '}
          <Link to="/datasets/$id" params={{ id: job.dataset }} search={{ v: job.version }}>
            {job.dataset} v{job.version}
          </Link>{' '}
          · {job.model ?? withoutModel}
        </span>
        <span className="grow" />
        {live && <CancelJob job={job.job} />}
        {state === 'succeeded' && <Queue job={job} cut={cut} />}
      </header>
      {error !== null && state === 'failed' && (
        <div className="message bad" role="alert">
          <h2>The mining failed</h2>
          <p>{error}</p>
          <p className="quiet">Scores are kept: if you start the same job again, it scores only the rest.</p>
        </div>
      )}
      <MissingWorker job={job.job} />
      {live && <ProgressPanel job={job} />}
      <JobHeadline job={job} />
      <LeftOut dataset={job.dataset} number={job.stats.barred} one="sample of the pool" many="samples of the pool" />
      <KeptOut dataset={job.dataset} rules={job.stats.kept_out} />
      <div className="mining-grid">
        <HistogramPanel job={job} cut={cut} {...(state === 'succeeded' && job.queue === null ? { onCut: setCut } : {})} />
        <JobFacts job={job} />
      </div>
      {state === 'succeeded' && <PicksPanel job={job} cut={cut} onOpen={open} />}
      <QuarantinePanel job={job} />
      <details className="panel panel-body">
        <summary>Notes of the job</summary>
        <LogTail id={job.job.id} title={job.job.title} />
      </details>
      {pick !== undefined && state === 'succeeded' && <WhyDrawer job={job.id} rank={pick} total={picked(job)} classes={classes} onMove={open} onClose={() => open(undefined)} />}
    </div>
  )
}

function picked(job: MiningJob): number {
  return typeof job.stats.picked === 'number' ? job.stats.picked : job.count
}

function Queue({ job, cut }: { job: MiningJob; cut: number | null }) {
  const mayBuild = useMay('build')
  const mayLabel = useMay('label')
  const [open, setOpen] = useState(false)
  if (job.queue !== null) {
    return mayLabel && (
      <Link to="/label/$queue" params={{ queue: job.queue }} className="button primary">
        Label them in {job.queue}
      </Link>
    )
  }
  return mayBuild && (
    <>
      <RefusableButton className="button primary" refusal={picked(job) === 0 ? 'This job picked nothing.' : null} onClick={() => setOpen(true)}>
        {cut === null ? 'Send to a queue…' : 'Send these to a queue…'}
      </RefusableButton>
      {open && <QueueDialog job={job} cut={cut} onClose={() => setOpen(false)} />}
    </>
  )
}
