import './labelling.css'

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { queuesQuery } from '../../shared/api/queries'
import type { Queue } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { poll } from '../../shared/live/interval'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'

const tones = { open: 'live', complete: 'ok', committed: 'plain' } as const
const words = { open: 'Open', complete: 'Complete', committed: 'Committed' }

export function QueuesPage() {
  const queues = useQuery({ ...queuesQuery, refetchInterval: poll(() => 'queued'), refetchIntervalInBackground: true })
  return (
    <div className="page">
      <h1>Label</h1>
      {queues.isPending && <Skeleton height={160} />}
      {queues.isError && !queues.data && (
        <Failure
          what="The queues could not be read"
          error={queues.error}
          safe="Labels that are not saved yet are kept on this computer."
          retry={() => void queues.refetch()}
        />
      )}
      {queues.data?.length === 0 && (
        <Empty
          action={
            <Link to="/" className="button primary">
              To the loop
            </Link>
          }
        >
          No samples wait for labels. A round of a pipeline makes a queue.
        </Empty>
      )}
      {queues.data && queues.data.length > 0 && <QueueTable queues={queues.data} />}
    </div>
  )
}

function QueueTable({ queues }: { queues: Queue[] }) {
  const openFirst = [...queues].sort((a, b) => rank(a) - rank(b) || b.created.localeCompare(a.created))
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">Labelling queues, open ones first</caption>
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">State</th>
            <th scope="col">Answered</th>
            <th scope="col" className="number">
              Skipped
            </th>
            <th scope="col" className="number">
              Rate
            </th>
            <th scope="col">Dataset</th>
            <th scope="col">
              <span className="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {openFirst.map((queue) => (
            <QueueRow key={queue.id} queue={queue} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function rank({ state }: Queue): number {
  return ['open', 'complete', 'committed'].indexOf(state)
}

function QueueRow({ queue }: { queue: Queue }) {
  const { done, total, skipped } = queue.counts
  const left = total - done - skipped
  const to = { to: '/label/$queue', params: { queue: String(queue.id) } } as const
  return (
    <tr>
      <th scope="row">
        <Link {...to}>{queue.name}</Link>
      </th>
      <td>
        <Chip tone={tones[queue.state]}>{words[queue.state]}</Chip>
      </td>
      <td style={{ minWidth: 180 }}>
        <div className="stack" style={{ gap: 4 }}>
          <Progress done={done} total={total} label={`Answered in ${queue.name}`} />
          <span className="quiet small">
            {count(done)} of {count(total)}
          </span>
        </div>
      </td>
      <td className="number">{count(skipped)}</td>
      <td className="number">{queue.rate_per_hour === 0 ? '–' : `${count(queue.rate_per_hour)}/h`}</td>
      <td>
        <Link to="/datasets/$id" params={{ id: queue.dataset }}>
          {queue.dataset}
        </Link>
      </td>
      <td className="number">
        {queue.state === 'open' && (
          <Link {...to} className="button primary">
            Label {count(left)} more →<span className="visually-hidden"> in {queue.name}</span>
          </Link>
        )}
        {queue.state === 'complete' && (
          <Link {...to} className="button">
            Commit →<span className="visually-hidden"> {queue.name}</span>
          </Link>
        )}
      </td>
    </tr>
  )
}
