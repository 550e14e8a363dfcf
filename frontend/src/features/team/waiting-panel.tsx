import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { count, when } from '../../shared/format/numbers'
import { useNow } from '../../shared/live/use-now'
import { usePicked } from '../../shared/project-choice/picked'
import { dueWords, priorityWords, span } from '../../shared/queues/urgency'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { waitingQuery } from './queries'
import type { WaitingQueue } from './types'
import { paceSource, paceWords } from './words'

const refresh = 30_000
const columns = [
  ['Queue'], ['Open', 'number'], ['To review', 'number'], ['Skipped', 'number'], ['Comments', 'number'], ['To commit', 'number'], ['Oldest waits'], ['Due, and the present pace'], ['For'],
] as const

/** What waits for people, reviewers and a commit, queue by queue, as the server orders them: the most urgent first. */
export function WaitingPanel() {
  const waiting = useQuery({ ...waitingQuery(usePicked()), refetchInterval: refresh })
  return (
    <section className="panel" aria-labelledby="waiting">
      <div className="panel-head">
        <h2 id="waiting">What waits</h2>
      </div>
      {waiting.isPending && <Skeleton height={120} />}
      {waiting.isError && !waiting.data?.length && <Failure what="What waits could not be loaded" error={waiting.error} retry={() => void waiting.refetch()} />}
      {waiting.isSuccess && waiting.data.length === 0 && (
        <Empty
          action={
            <Link to="/label" className="button">
              To the queues
            </Link>
          }
        >
          Nothing is waiting: no queue has open tasks, reviews, comments or labels to commit.
        </Empty>
      )}
      {waiting.data && waiting.data.length > 0 && (
        <>
          <WaitingTable queues={waiting.data} />
          <p className="panel-body quiet small">The pace is the answers per hour of the clock, nights too, on the last seven days (UTC) that had any.</p>
        </>
      )}
    </section>
  )
}

function WaitingTable({ queues }: { queues: readonly WaitingQueue[] }) {
  return (
    // A scrolled region must be reachable by keyboard to be scrolled by it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-scroll" role="region" aria-label="What waits, queue by queue" tabIndex={0}>
      <table className="table waiting">
        <caption className="visually-hidden">What waits in each queue, the most urgent first</caption>
        <thead>
          <tr>
            {columns.map(([name, className]) => (
              <th key={name} scope="col" className={className}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <Row key={queue.id} queue={queue} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ queue }: { queue: WaitingQueue }) {
  const now = useNow()
  return (
    <tr>
      <th scope="row">
        <Link to="/label/$queue" params={{ queue: String(queue.id) }}>
          {queue.name}
        </Link>
        <span className="quiet small">
          {queue.dataset}
          {queue.priority !== 'normal' && ` · ${priorityWords[queue.priority].toLowerCase()} priority`}
        </span>
      </th>
      <td className="number">
        {number(queue.todo + queue.leased)}
        {queue.leased > 0 && <span className="quiet small">{count(queue.leased)} leased now</span>}
      </td>
      <td className="number">
        <Reviews queue={queue} />
      </td>
      <td className="number">{number(queue.skipped)}</td>
      <td className="number">{number(queue.comments)}</td>
      <td className="number">{number(queue.labels)}</td>
      <td title={queue.since === null ? undefined : `since ${when(queue.since)}`}>{queue.since === null ? <span className="quiet">–</span> : span((now - Date.parse(queue.since)) / 1_000)}</td>
      <td>
        <Deadline queue={queue} now={now} />
      </td>
      <td>{queue.assignees.length === 0 ? <span className="quiet">everybody</span> : queue.assignees.join(', ')}</td>
    </tr>
  )
}

function number(value: number) {
  return value === 0 ? <span className="quiet">–</span> : count(value)
}

function Reviews({ queue: { id, reviews, disputed, flagged } }: { queue: WaitingQueue }) {
  if (reviews === 0) return number(0)
  const kinds = [disputed > 0 && `${count(disputed)} disputed`, flagged > 0 && `${count(flagged)} flagged`].filter(Boolean)
  return (
    <>
      <Link to="/review/$queue" params={{ queue: String(id) }}>
        {count(reviews)}
        <span className="visually-hidden"> to review</span>
      </Link>
      {kinds.length > 0 && <span className="quiet small">{kinds.join(' · ')}</span>}
    </>
  )
}

function Deadline({ queue: { due, pace }, now }: { queue: WaitingQueue; now: number }) {
  const told = dueWords(due, now)
  return (
    <>
      {told && due !== null && (
        <span className="row" title={when(due)}>
          <span className={told.late && pace.answers_left > 0 ? 'late' : undefined}>{told.words}</span>
          {pace.in_time !== null && <Chip tone={pace.in_time ? 'ok' : 'bad'}>{pace.in_time ? 'In time' : 'Too late'}</Chip>}
        </span>
      )}
      <span className="quiet small" title={paceSource(pace)}>
        {paceWords(pace)}
      </span>
    </>
  )
}
