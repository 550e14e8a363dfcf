import './review.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'

import { queueQuery } from '../../shared/api/queries'
import type { Queue } from '../../shared/api/types'
import { type CommentsOfTask, useTaskComments } from '../../shared/comments/use-task-comments'
import { count, plural } from '../../shared/format/numbers'
import type { ReviewSearch } from '../../shared/routes/people-search'
import { LeaveGuard } from '../../shared/ui/leave-guard'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { readReview } from './queries'
import { ReasonFilter } from './reason-filter'
import { SaveState } from './save-state'
import { type ReviewSession, useReviewSession } from './use-review-session'
import { type Drafts, useDrafts } from './use-draft'
import { Workspace } from './workspace'

/** One review after the other, side by side with everybody's answers. */
export function ReviewPage() {
  const { queue: id } = useParams({ from: '/inside/review/$queue' })
  const search = useSearch({ from: '/inside/review/$queue' })
  const queue = useQuery(queueQuery(id))
  const session = useReviewSession(id, search)
  // Held above what waits for a list: what was begun outlives a look at the decided ones.
  const comments = useTaskComments(session.shown && { id: session.shown.task })
  const drafts = useDrafts()
  const error = queue.error ?? session.query.error
  if (error && (!queue.data || session.reviews.length === 0)) {
    return (
      <div className="page">
        <Failure
          what="The reviews could not be loaded"
          error={error}
          safe="Decisions that are not saved yet are kept on this computer."
          retry={() => {
            void queue.refetch()
            void session.query.refetch()
          }}
          elsewhere={<Link to="/review" className="button">To the reviews</Link>}
        />
      </div>
    )
  }
  if (!queue.data || session.query.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={280} />
        <Skeleton height={480} />
      </div>
    )
  }
  return <Frame queue={queue.data} session={session} search={search} comments={comments} drafts={drafts} />
}

interface FrameProps {
  queue: Queue
  session: ReviewSession
  search: ReviewSearch
}

interface DraftProps {
  comments: CommentsOfTask
  drafts: Drafts
}

function Frame({ queue, session, search, comments, drafts }: FrameProps & DraftProps) {
  const navigate = useNavigate()
  // As the address has it, by id or name: with the other one it would be another page, which the guard asks about.
  const params = useParams({ from: '/inside/review/$queue' })
  const go = (wanted: ReviewSearch) => void navigate({ to: '/review/$queue', params, search: wanted })
  // What was refused may be decided by now, and of another queue: a page keeps its refused decisions until they are dealt with.
  const openRefused = async (at: number) => {
    const review = await readReview(at)
    await navigate({ to: '/review/$queue', params: review && review.queue_id !== queue.id ? { queue: String(review.queue_id) } : params, search: { ...(review?.state === 'done' ? { state: 'done' } : {}), at } })
  }
  // The decided ones stand in a list of their own: a draft whose review is not here may still be wanted.
  const isOpen = (id: number) => !session.all.some((each) => each.id === id && session.isDecided(each))
  usePreloaded(session.following?.url)
  return (
    <div className="review-frame">
      <Head queue={queue} session={session} search={search} onGo={go} />
      {session.shown && <Workspace key={`${session.shown.id} ${session.shown.state}`} queue={queue} session={session} review={session.shown} comments={comments} drafts={drafts} />}
      {!session.shown && <Finished queue={queue} session={session} search={search} onGo={go} />}
      <footer className="review-foot">
        <SaveState onOpen={(at) => void openRefused(at)} />
      </footer>
      <LeaveGuard unsaved={comments.unsent + drafts.changed(queue.schema.classes, isOpen)} />
    </div>
  )
}

function Head({ queue, session, search, onGo }: FrameProps & { onGo: (search: ReviewSearch) => void }) {
  const decided = session.reviews.filter(session.isDecided).length
  const { state = 'open', reason } = search
  return (
    <header className="review-head">
      <h1 className="cut">{queue.name}</h1>
      {state === 'open' && (
        <span className="review-progress">
          <Progress done={decided} total={session.reviews.length} label="Decided" />
        </span>
      )}
      {/* The decided ones are no share of anything: those that wait stand in a list of their own. */}
      <span>{state === 'open' ? `${count(decided)}/${count(session.reviews.length)}` : `${count(decided)} decided`}</span>
      <div className="row" role="group" aria-label="State">
        <button type="button" className="button little" aria-pressed={state === 'open'} onClick={() => onGo({})}>
          Open
        </button>
        <button type="button" className="button little" aria-pressed={state === 'done'} onClick={() => onGo({ state: 'done' })}>
          Decided
        </button>
      </div>
      {state === 'open' && (
        <ReasonFilter reviews={session.all.filter((review) => !session.isDecided(review))} chosen={reason} onChoose={(wanted) => onGo(wanted === undefined ? {} : { reason: wanted })} />
      )}
    </header>
  )
}

function Finished({ queue, session, search, onGo }: FrameProps & { onGo: (search: ReviewSearch) => void }) {
  const others = session.all.filter((review) => !session.isDecided(review)).length
  if (search.state === 'done') return <Empty>No review of this queue has been decided yet.</Empty>
  if (others > 0) {
    return (
      <Empty
        action={
          <button type="button" className="button primary" onClick={() => onGo({})}>
            Go on with {plural(others, 'other review')}
          </button>
        }
      >
        No review with this reason is open any more.
      </Empty>
    )
  }
  const unanswered = queue.state === 'open' ? queue.counts.todo + queue.counts.leased : 0
  return (
    <Empty
      action={
        <span className="row wrap">
          <Link to="/label/$queue" params={{ queue: String(queue.id) }} className="button primary">
            {queue.state === 'complete' ? 'To the queue, to commit it' : 'To the queue'}
          </Link>
          <button type="button" className="button" onClick={() => void session.query.refetch()}>
            Check for new reviews
          </button>
          <Link to="/review" className="button">
            All reviews
          </Link>
        </span>
      }
    >
      {decidedWords(queue.name, session.all.length)} {unanswered > 0 && `${plural(unanswered, 'image is', 'images are')} still to be answered; what people disagree on comes here then.`}
    </Empty>
  )
}

function decidedWords(queue: string, decided: number): string {
  if (decided === 0) return `No review of ${queue} is waiting.`
  return decided === 1 ? `The only review of ${queue} is decided.` : `All ${count(decided)} reviews of ${queue} are decided.`
}

/** The browser fetches the next picture while this one is looked at. */
function usePreloaded(url: string | undefined): void {
  useEffect(() => {
    if (url !== undefined) new Image().src = url
  }, [url])
}
