import { Link } from '@tanstack/react-router'

import type { Commit } from '../../../shared/api/types'
import { bytes, count, duration, plural } from '../../../shared/format/numbers'
import { JobProgress } from '../../../shared/live/job-progress'
import { useNow } from '../../../shared/live/use-now'
import { Failure } from '../../../shared/ui/messages'
import { Progress } from '../../../shared/ui/progress'
import { Added } from '../exchange/added'
import { NotTaken } from '../exchange/not-taken'
import type { Transfer } from './transfer'
import type { TransferControl } from './use-transfer'

/** A folder on its way: how far it is, what could not be taken, and what became of it. */
export function TransferPanel({ order, transfer, started, again, stop }: TransferControl) {
  if (!order || !transfer) return null
  const { state, rejected } = transfer
  const done = (commit: Commit) => <Added commit={commit} dataset={order.dataset} />
  return (
    <section className="panel" aria-labelledby="sending">
      <div className="panel-head">
        <h2 id="sending" className="grow">
          {order.dataset}
        </h2>
        {(state === 'sending' || state === 'waiting' || state === 'committing') && (
          <button type="button" className="button little" onClick={stop}>
            Cancel
          </button>
        )}
      </div>
      <div className="panel-body stack">
        {(state === 'sending' || state === 'waiting' || state === 'committing') && <Under transfer={transfer} started={started} />}
        {state === 'reading' && (
          <JobProgress id={transfer.job ?? 0} what="Reading the files" safe="The images are stored; sending the folder again takes no time.">
            {(job) => done(job.result as unknown as Commit)}
          </JobProgress>
        )}
        {state === 'done' && transfer.commit && done(transfer.commit)}
        {state === 'stopped' && <Stopped dataset={order.dataset} transfer={transfer} again={again} />}
        {state === 'failed' && (
          <Failure
            what="The folder was not added"
            error={transfer.error}
            safe={`The dataset ${order.dataset} exists and is empty; ${plural(transfer.images, 'image')} are stored and will not be sent twice.`}
            retry={again}
          />
        )}
        <NotTaken rejected={rejected} />
      </div>
    </section>
  )
}

function Under({ transfer, started }: { transfer: Transfer; started: number }) {
  const now = useNow()
  const { state, images, bytes: sent, total } = transfer
  const seconds = Math.max(1, (now - started) / 1_000)
  const left = sent > 0 ? (seconds * (total.bytes - sent)) / sent : null
  return (
    <>
      <Progress done={sent} total={total.bytes} label="Sent" />
      <p className="quiet small" role="status">
        {state === 'waiting' && 'The server does not answer. The upload resumes when the connection is back; nothing is lost. '}
        {state === 'committing' && 'Everything is sent; the server is creating the first version. '}
        {state === 'sending' && `${count(images)} of ${plural(total.images, 'image')} · ${bytes(sent)} of ${bytes(total.bytes)}`}
        {state === 'sending' && left !== null && ` · ${bytes(sent / seconds)}/s · ${duration(left)} left`}
      </p>
      <p className="quiet small">Keep this page open until it is done. The dataset stays empty until the last image has arrived.</p>
    </>
  )
}

function Stopped({ dataset, transfer, again }: { dataset: string; transfer: Transfer; again: () => void }) {
  return (
    <>
      <p role="status">
        Stopped. The dataset <strong>{dataset}</strong> exists and is empty; {count(transfer.images)} of {plural(transfer.total.images, 'image')} are stored.
      </p>
      <div className="row">
        <button type="button" className="button primary" onClick={again}>
          Send the folder
        </button>
        <Link to="/datasets/$id" params={{ id: dataset }} className="button">
          To the dataset
        </Link>
      </div>
    </>
  )
}
