import '../labeling.css'

import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'

import { ArchivedList } from '../../../shared/lifecycle/archived-list'
import { LifecycleMenu } from '../../../shared/lifecycle/lifecycle-menu'
import { useMay } from '../../../shared/access/use-may'
import { queuesList } from '../../../shared/api/lists'
import type { Queue } from '../../../shared/api/types'
import { count, when } from '../../../shared/format/numbers'
import { MoreRows } from '../../../shared/lists/more-rows'
import { useList } from '../../../shared/lists/pages'
import { SearchBox } from '../../../shared/lists/search-box'
import { usePicked } from '../../../shared/project-choice/picked'
import { useNow } from '../../../shared/live/use-now'
import { answeredIn, freeIn, leftIn } from '../../../shared/queues/left'
import { byUrgency, dueWords } from '../../../shared/queues/urgency'
import { Chip } from '../../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { Progress } from '../../../shared/ui/progress'
import { CreateDialog } from './create-dialog'
import { kindWords } from './draft'
import { QueueDrawer } from './queue-drawer'

const tones = { open: 'live', complete: 'ok', committed: 'plain' } as const
const words = { open: 'Open', complete: 'Complete', committed: 'Committed' }

export function QueuesPage() {
  const { q, dataset } = useSearch({ from: '/inside/label' })
  const navigate = useNavigate()
  const queues = useList(queuesList(usePicked(), { q }, true))
  const canReview = useMay('review')
  const [making, setMaking] = useState(false)
  const [opened, setOpened] = useState<number | null>(null)
  const { rows, error, retry } = queues
  const shown = rows?.find(({ id }) => id === opened)
  return (
    <div className="page">
      <header className="page-head">
        <h1>Label</h1>
        <span className="grow" />
        <SearchBox label="Find a queue" placeholder="Find a queue or dataset" />
        {canReview && (
          <button type="button" className="button primary" onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden /> New queue
          </button>
        )}
      </header>
      {!rows && error === null && <Skeleton height={160} />}
      {!rows?.length && error !== null && (
        <Failure what="The queues could not be loaded" error={error} safe="Labels that are not saved yet are kept on this computer." retry={retry} />
      )}
      {rows?.length === 0 && error === null && q === undefined && (canReview ? <NoQueues onMake={() => setMaking(true)} /> : <Empty>No samples are waiting for labels.</Empty>)}
      {rows?.length === 0 && q !== undefined && <Empty>No queue or dataset has “{q}” in its name.</Empty>}
      {rows && rows.length > 0 && <QueueTable queues={rows} canReview={canReview} onOpen={setOpened} />}
      <MoreRows noun="queues" reading={queues} />
      <ArchivedList
        kind="queue"
        link={({ id, name }) => (
          <Link to="/label/$queue" params={{ queue: String(id) }}>
            {name}
          </Link>
        )}
      />
      {(making || (dataset !== undefined && canReview)) && (
        <CreateDialog
          {...(dataset === undefined ? {} : { dataset })}
          onClose={() => {
            setMaking(false)
            if (dataset !== undefined) void navigate({ to: '/label', search: q === undefined ? {} : { q }, replace: true })
          }}
        />
      )}
      {shown && <QueueDrawer key={shown.id} queue={shown} canReview={canReview} onClose={() => setOpened(null)} />}
    </div>
  )
}

function NoQueues({ onMake }: { onMake: () => void }) {
  const mayBuild = useMay('build')
  return (
    <Empty
      action={
        <span className="row">
          <button type="button" className="button primary" onClick={onMake}>
            Create a queue
          </button>
          {mayBuild && (
            <Link to="/mining" className="button">
              Mine samples
            </Link>
          )}
        </span>
      }
    >
      No samples are waiting for labels. A pipeline round or a mining job creates a queue, or create one yourself.
    </Empty>
  )
}

const columns = ['Queue', 'Method', 'State', 'Answered', 'Skipped', 'Flagged', 'Mine today', 'My rate']
const numbers = new Set(['Skipped', 'Flagged', 'Mine today', 'My rate'])

function QueueTable({ queues, canReview, onOpen }: { queues: readonly Queue[]; canReview: boolean; onOpen: (id: number) => void }) {
  const openFirst = [...queues].sort((a, b) => rank(a) - rank(b) || Number(b.for_me) - Number(a.for_me) || (a.state === 'open' ? byUrgency(a, b) : 0) || b.created.localeCompare(a.created))
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">Labelling queues, open ones first</caption>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className={numbers.has(name) ? 'number' : undefined}>
                {name}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {openFirst.map((queue) => (
            <QueueRow key={queue.id} queue={queue} canReview={canReview} onOpen={() => onOpen(queue.id)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function rank({ state }: Queue): number {
  return ['open', 'complete', 'committed'].indexOf(state)
}

function QueueRow({ queue, canReview, onOpen }: { queue: Queue; canReview: boolean; onOpen: () => void }) {
  const { total, skipped } = queue.counts
  const answered = answeredIn(queue)
  const { mine } = queue
  return (
    <tr>
      <th scope="row">
        <span className="queue-names">
          <Link to="/label/$queue" params={{ queue: String(queue.id) }}>
            {queue.name}
          </Link>
          {canReview ? (
            <Link to="/datasets/$id" params={{ id: queue.dataset }} className="quiet small">
              {queue.dataset}
            </Link>
          ) : (
            <span className="quiet small">{queue.dataset}</span>
          )}
        </span>
      </th>
      <td>
        {kindWords[queue.kind]}
        {queue.mode === 'verify' && <span className="quiet"> · verify</span>}
      </td>
      <td>
        <span className="stack" style={{ gap: 4, alignItems: 'start' }}>
          <Chip tone={tones[queue.state]}>{words[queue.state]}</Chip>
          {queue.state === 'open' && <Urgency queue={queue} />}
        </span>
      </td>
      <td style={{ minWidth: 100 }}>
        <div className="stack" style={{ gap: 4 }}>
          <Progress done={answered} total={total} label={`Answered in ${queue.name}`} />
          <span className="quiet small">
            {count(answered)} of {count(total)}
            {mine.waiting > 0 && ` · ${count(mine.waiting)} are waiting for other annotators`}
            {queue.state === 'open' && mine.held > 0 && ` · ${count(mine.held)} in the hands of others now`}
          </span>
        </div>
      </td>
      <td className="number">{count(skipped)}</td>
      <td className="number">{count(queue.flagged)}</td>
      <td className="number">
        {count(mine.today)}
        <span className="quiet"> of {count(mine.total)}</span>
      </td>
      <td className="number">{mine.rate_per_hour === 0 ? '–' : `${count(mine.rate_per_hour)}/h`}</td>
      <td className="number">
        <QueueActions queue={queue} canReview={canReview} onOpen={onOpen} />
      </td>
    </tr>
  )
}

/** What sets an open queue apart from others; nothing for one that is like most. */
function Urgency({ queue }: { queue: Queue }) {
  const due = dueWords(queue.due, useNow())
  return (
    <>
      {queue.priority !== 'normal' && <span className="small">{queue.priority === 'high' ? 'High priority' : 'Low priority'}</span>}
      {due && (
        <span className={`small ${due.late ? 'late' : 'quiet'}`} title={queue.due === null ? undefined : when(queue.due)}>
          {due.words}
        </span>
      )}
      {queue.assignees.length > 0 && <span className="small quiet">for {queue.assignees.join(', ')}</span>}
    </>
  )
}

function QueueActions({ queue, canReview, onOpen }: { queue: Queue; canReview: boolean; onOpen: () => void }) {
  const left = leftIn(queue)
  const free = freeIn(queue)
  const to = { to: '/label/$queue', params: { queue: String(queue.id) } } as const
  return (
    <span className="row" style={{ justifyContent: 'flex-end' }}>
      {queue.state === 'open' && left > 0 && queue.for_me && (
        <Link {...to} className="button primary">
          Label {free > 0 ? `${count(free)} more ` : ''}→<span className="visually-hidden"> in {queue.name}</span>
        </Link>
      )}
      {queue.state === 'open' && left === 0 && queue.mine.reviews > 0 && canReview && (
        <Link to="/review/$queue" params={{ queue: queue.name }} className="button">
          Review {count(queue.mine.reviews)} →<span className="visually-hidden"> of {queue.name}</span>
        </Link>
      )}
      {queue.state === 'complete' && canReview && (
        <Link {...to} className="button">
          {queue.labels > 0 ? 'Commit' : 'Close'} →<span className="visually-hidden"> {queue.name}</span>
        </Link>
      )}
      <button type="button" className="button icon" aria-label={`${canReview ? 'Settings, skips' : 'Skips'} and flags of ${queue.name}`} onClick={onOpen}>
        <SlidersHorizontal size={14} aria-hidden />
      </button>
      <LifecycleMenu kind="queue" thing={queue} />
    </span>
  )
}
