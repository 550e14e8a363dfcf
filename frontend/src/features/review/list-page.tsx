import './review.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import { plural } from '../../shared/format/numbers'
import { poll } from '../../shared/live/interval'
import { usePicked } from '../../shared/project-choice/picked'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { optionsOf, valueWords } from './options'
import { openReviewsIn } from './queries'
import { ReasonFilter } from './reason-filter'
import { reasonTones, reasonWords } from './reasons'
import type { Review, ReviewReason } from './types'

const tilesShown = 24

/** What waits for a decision, by queue. */
export function ReviewsPage() {
  const { reason } = useSearch({ from: '/inside/review' })
  const navigate = useNavigate()
  const reviews = useQuery({ ...openReviewsIn(usePicked()), refetchInterval: poll(() => 'queued') })
  const shown = (reviews.data ?? []).filter((each) => reason === undefined || each.reason === reason)
  return (
    <div className="page">
      <header className="page-head">
        <h1>Review</h1>
        {reviews.data && reviews.data.length > 0 && (
          <ReasonFilter
            reviews={reviews.data}
            chosen={reason}
            onChoose={(wanted) => void navigate({ to: '/review', search: wanted === undefined ? {} : { reason: wanted } })}
          />
        )}
      </header>
      {reviews.isPending && <Skeleton height={240} />}
      {reviews.isError && !reviews.data?.length && (
        <Failure what="The reviews could not be loaded" error={reviews.error} safe="Decisions that are not saved yet are kept on this computer." retry={() => void reviews.refetch()} />
      )}
      {reviews.isSuccess && reviews.data.length === 0 && <NothingOpen />}
      {reviews.data && reviews.data.length > 0 && shown.length === 0 && (
        <Empty
          action={
            <Link to="/review" className="button">
              Show all {reviews.data.length}
            </Link>
          }
        >
          No open review has this reason.
        </Empty>
      )}
      {byQueue(shown).map(([queue, group]) => (
        <QueueGroup key={queue} queue={queue} reviews={group} reason={reason} />
      ))}
    </div>
  )
}

function NothingOpen() {
  return (
    <Empty
      action={
        <Link to="/label" className="button primary">
          To the queues
        </Link>
      }
    >
      No reviews are waiting. Reviews come from queues with several answers per task, from flags, and from a queue&rsquo;s random share.
    </Empty>
  )
}

function byQueue(reviews: readonly Review[]): [string, Review[]][] {
  return [...Map.groupBy(reviews, ({ queue }) => queue)]
}

function QueueGroup({ queue, reviews, reason }: { queue: string; reviews: Review[]; reason: ReviewReason | undefined }) {
  const search = reason === undefined ? {} : { reason }
  const hidden = reviews.length - tilesShown
  return (
    <section className="panel" aria-label={queue}>
      <div className="panel-head">
        <h2 className="grow cut">{queue}</h2>
        <Link to="/review/$queue" params={{ queue }} search={search} className="button primary">
          Review {plural(reviews.length, 'image')} →<span className="visually-hidden"> of {queue}</span>
        </Link>
      </div>
      <ul className="review-tiles">
        {reviews.slice(0, tilesShown).map((review) => (
          <li key={review.id}>
            <Tile queue={queue} review={review} search={{ ...search, at: review.id }} />
          </li>
        ))}
      </ul>
      {hidden > 0 && <p className="panel-body quiet">And {plural(hidden, 'more image')}.</p>}
    </section>
  )
}

function Tile({ queue, review, search }: { queue: string; review: Review; search: { at: number; reason?: ReviewReason } }) {
  const { sample, reason } = review
  const said = optionsOf({ ...review, suggestion: null, consensus: null }).map(({ value, answers }) => `${valueWords(value)} ×${answers.length}`)
  return (
    <Link to="/review/$queue" params={{ queue }} search={search} className="review-tile">
      <img src={sample.thumb} alt={sample.key} loading="lazy" className={Math.max(sample.width ?? 0, sample.height ?? 0) <= 128 ? 'pixels' : ''} />
      <Chip tone={reasonTones[reason]} bare>
        {reasonWords[reason]}
      </Chip>
      <span className="small cut">{said.join(' · ')}</span>
    </Link>
  )
}
