import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { datasetsList, modelsList, queuesList } from '../../shared/api/lists'
import type { Queue } from '../../shared/api/types'
import { count, duration, plural } from '../../shared/format/numbers'
import { useList } from '../../shared/lists/pages'
import { usePicked } from '../../shared/project-choice/picked'
import { useNow } from '../../shared/live/use-now'
import { answeredIn, freeIn } from '../../shared/queues/left'
import { dueWords } from '../../shared/queues/urgency'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { useFirstSteps } from './first-steps'
import { secondsLeft, toLabel } from './order'

const mostShown = 5

/** What waits for labels, the queue that one was in last on top, and what waits to be committed or reviewed. */
export function LabelNow() {
  const { rows, error, retry } = useList(queuesList(usePicked(), { state: 'open,complete' }, true))
  return (
    <section className="panel" aria-labelledby="label-now">
      <div className="panel-head">
        <h2 id="label-now" className="grow">
          To label now
        </h2>
        <Link to="/label" className="small">
          All queues
        </Link>
      </div>
      {!rows && error === null && (
        <div className="panel-body">
          <Skeleton height={56} />
        </div>
      )}
      {!rows?.length && error !== null && (
        <Failure what="The queues could not be loaded" error={error} safe="Labels that are not saved yet are kept on this computer." retry={retry} />
      )}
      {rows && (error === null || rows.length > 0) && <Work queues={rows} />}
    </section>
  )
}

function Work({ queues }: { queues: readonly Queue[] }) {
  const canReview = useMay('review')
  const mayBuild = useMay('build')
  const open = toLabel(queues)
  const complete = canReview ? queues.filter(({ state }) => state === 'complete') : []
  const reviews = canReview ? queues.filter(({ mine }) => mine.reviews > 0) : []
  const datasets = useInfiniteQuery({ ...datasetsList(usePicked()), enabled: mayBuild }).data?.pages[0]?.results
  const models = useInfiniteQuery({ ...modelsList(usePicked()), enabled: mayBuild }).data?.pages[0]?.results
  const guided = useFirstSteps().shown
  if (open.length + complete.length + reviews.length === 0) {
    if (!mayBuild) return <Empty>No samples are waiting for labels.</Empty>
    if (datasets?.length === 0) {
      return (
        <Empty
          action={
            !guided && (
              <Link to="/datasets/new" className="button primary">
                Create a dataset
              </Link>
            )
          }
        >
          Nothing here yet. Start with a folder of images, with or without labels.
        </Empty>
      )
    }
    return (
      <Empty
        action={
          <Link to="/mining/new" className="button primary">
            Mine samples
          </Link>
        }
      >
        {models?.every(({ latest }) => latest === null)
          ? 'No samples are waiting for labels, and no model is trained yet. Mine the first ones by what the images look like, select them on a dataset’s page or map, or let a pipeline mine and train, round by round.'
          : 'No samples are waiting for labels. A mining job, a pipeline round or a selection on a dataset’s map creates a queue.'}
      </Empty>
    )
  }
  return (
    <ul className="work">
      {open.slice(0, mostShown).map((queue, place) => (
        <QueueLine key={queue.id} queue={queue} first={place === 0} />
      ))}
      {reviews.map((queue) => (
        <li key={`review ${queue.id}`} className="row">
          <span className="grow">
            <strong>{plural(queue.mine.reviews, 'review')}</strong> {queue.mine.reviews === 1 ? 'waits' : 'wait'} in {queue.name}
          </span>
          <Link to="/review/$queue" params={{ queue: queue.name }} className="button">
            Review →<span className="visually-hidden"> {queue.name}</span>
          </Link>
        </li>
      ))}
      {complete.map((queue) => (
        <li key={`complete ${queue.id}`} className="row">
          <span className="grow">
            <strong>{queue.name}</strong> is answered; {queue.labels > 0 ? `its ${plural(queue.labels, 'label waits', 'labels wait')} to be committed` : 'nobody could give a label'}
          </span>
          <Link to="/label/$queue" params={{ queue: String(queue.id) }} className="button">
            {queue.labels > 0 ? 'Commit' : 'Close'} →<span className="visually-hidden"> {queue.name}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

function QueueLine({ queue, first }: { queue: Queue; first: boolean }) {
  const { mine, counts } = queue
  const seconds = secondsLeft(queue)
  const free = freeIn(queue)
  const due = dueWords(queue.due, useNow())
  return (
    <li className="row">
      <div className="grow stack work-line">
        <span className="row wrap">
          <strong className="cut">{queue.name}</strong>
          <span className="quiet small">{queue.dataset}</span>
          {queue.priority === 'high' && <Chip tone="live">High priority</Chip>}
          {due && <span className={`small ${due.late ? 'late' : 'quiet'}`}>{due.words}</span>}
        </span>
        <Progress done={answeredIn(queue)} total={counts.total} label={`Answered in ${queue.name}`} />
        <span className="quiet small">
          {count(answeredIn(queue))} of {count(counts.total)}
          {mine.waiting > 0 && ` · ${count(mine.waiting)} are waiting for other annotators`}
          {mine.today > 0 && ` · ${count(mine.today)} by you today`}
          {mine.rate_per_hour > 0 && ` · ${count(mine.rate_per_hour)}/h`}
          {seconds !== null && ` · ${duration(seconds)} left at your pace`}
          {mine.held > 0 && ` · ${count(mine.held)} in the hands of others now`}
        </span>
      </div>
      <Link to="/label/$queue" params={{ queue: String(queue.id) }} className={`button ${first ? 'primary' : ''}`}>
        {mine.total > 0 ? 'Continue' : 'Label'} {free > 0 ? `${count(free)} more ` : ''}→<span className="visually-hidden"> in {queue.name}</span>
      </Link>
    </li>
  )
}
