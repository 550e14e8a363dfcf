import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { api, take } from '../../shared/api/client'
import type { Commit, Queue } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { CommitCountdown, HoldButton } from '../../shared/queues/auto-commit'
import { TrainButton } from '../../shared/training/train-button'
import { Failure } from '../../shared/ui/messages'
import { useOutbox } from './outbox-app'

export interface FinishedProps {
  queue: Queue
  /** Asks for images once more. */
  fill: () => void
}

/** All is answered: reviewers decide what is left open, then the labels become a version of the dataset. */
export function Finished({ queue, fill }: FinishedProps) {
  const client = useQueryClient()
  const canReview = useMay('review')
  const params = { path: { reference: String(queue.id) } }
  const refresh = () => Promise.all(['queues', 'datasets', 'pipelines', 'rounds'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
  const commit = useMutation({
    mutationFn: (partial: boolean) => take(api.POST('/labeling/queues/{reference}/commit', { params, body: { message: '', partial } })),
    onSuccess: refresh,
  })
  const again = useMutation({
    mutationFn: () => take(api.POST('/labeling/queues/{reference}/requeue', { params, body: { skipped: true } })),
    onSuccess: async () => {
      await refresh()
      fill()
    },
  })
  if (commit.data || queue.state === 'committed') return <Committed queue={queue} commit={commit.data} canReview={canReview} />
  const { counts, labels } = queue
  const pending = commit.isPending || again.isPending
  return (
    <div className="page">
      <section className="panel message" aria-label="Complete">
        <h2>{counts.skipped === counts.total && counts.total > 0 ? `All ${count(counts.total)} were skipped` : `All ${count(counts.total)} are done`}</h2>
        <p>{whatFollows(queue, canReview)}</p>
        <p>
          {queue.auto_commit && <CommitCountdown commit={queue.auto_commit} />} Until then, ⌫ takes answers back
          {queue.auto_commit?.seconds_left != null && ' and stops the countdown'}.
        </p>
        <span className="row wrap">
          {queue.mine.reviews > 0 && canReview && (
            <Link to="/review/$queue" params={{ queue: String(queue.id) }} className="button primary">
              Review {count(queue.mine.reviews)}
            </Link>
          )}
          {canReview && <CommitButton queue={queue} pending={pending} onCommit={(partial) => commit.mutate(partial)} />}
          {queue.auto_commit && <HoldButton queue={queue.id} commit={queue.auto_commit} />}
          {canReview && counts.skipped > 0 && (
            <button type="button" className="button" disabled={pending} onClick={() => again.mutate()}>
              Ask for the skipped {counts.skipped === 1 ? 'one' : 'ones'} again
            </button>
          )}
        </span>
        {commit.isError && (
          <Failure
            what={labels > 0 ? 'The labels were not committed' : 'The queue was not closed'}
            error={commit.error}
            safe="All answers stay in the queue; try again once the cause is fixed."
          />
        )}
        {again.isError && <Failure what="The skipped images were not returned to the queue" error={again.error} safe="All answers stay in the queue." />}
      </section>
    </div>
  )
}

function whatFollows({ dataset, counts, labels, mine, reviews_open: reviews }: Queue, canReview: boolean): string {
  if (reviews > 0) {
    const images = plural(reviews, 'image')
    if (canReview && mine.reviews === 0) return `${images} ${reviews === 1 ? 'waits' : 'wait'} for another reviewer: the only answer is yours.`
    return canReview ? `${images} ${reviews === 1 ? 'waits' : 'wait'} for a decision before all labels can be committed.` : `A reviewer decides ${images}; then the labels are committed.`
  }
  if (!canReview) return 'A reviewer or a pipeline commits the labels.'
  if (labels === 0) return `There are no labels to commit: closing the queue ends it and does not change ${dataset}.`
  const left = counts.done + counts.skipped - labels
  const rest = left > 0 && counts.skipped > 0 ? ` ${plural(Math.min(left, counts.skipped), 'skipped sample stays', 'skipped samples stay')} unlabelled.` : ''
  return `Committing writes the ${plural(labels, 'label')} as a new version of ${dataset}, in one step.${rest}`
}

interface CommitButtonProps {
  queue: Queue
  pending: boolean
  onCommit: (partial: boolean) => void
}

/** Commits, or closes a queue without a label; while reviews are open they may be left out. */
function CommitButton({ queue: { labels, reviews_open: reviews, auto_commit: auto }, pending, onCommit }: CommitButtonProps) {
  const { waiting } = useOutbox()
  if (reviews > 0 && labels === 0) return null
  const words = labels === 0 ? 'Close the queue' : reviews > 0 ? `Commit ${plural(labels, 'label')} without ${reviews === 1 ? 'it' : 'them'}` : `Commit ${plural(labels, 'label')}${auto ? ' now' : ''}`
  return (
    <button type="button" className={`button ${reviews > 0 ? '' : 'primary'}`} disabled={pending || waiting > 0} onClick={() => onCommit(reviews > 0)}>
      {waiting > 0 ? `Saving ${waiting} first…` : words}
    </button>
  )
}

function Committed({ queue, commit, canReview }: { queue: Queue; commit: Commit | undefined; canReview: boolean }) {
  const version = commit ? commit.version : queue.committed_version
  const canBuild = useMay('build')
  const closed = commit ? commit.labelled + commit.unchanged + commit.rejected.length === 0 : queue.labels === 0
  return (
    <div className="page">
      <section className="panel message" aria-label={closed ? 'Closed' : 'Committed'}>
        <h2>{closed ? 'The queue is closed' : version === null ? 'Committed' : `Committed as version ${version} of ${queue.dataset}`}</h2>
        {closed && <p>No label was written; {queue.dataset} was not changed.</p>}
        {commit && !closed && (
          <p>
            {plural(commit.labelled, 'label')} written
            {commit.unchanged > 0 && `, ${count(commit.unchanged)} unchanged`}
            {commit.rejected.length > 0 ? `, ${plural(commit.rejected.length, 'sample')} rejected:` : '.'}
          </p>
        )}
        {commit && commit.rejected.length > 0 && (
          <ul>
            {commit.rejected.slice(0, 20).map((each) => (
              <li key={each.key}>
                <code>{each.key}</code> {each.detail}
              </li>
            ))}
          </ul>
        )}
        {canReview ? (
          <span className="row wrap">
            {queue.auto_commit !== null || closed || !canBuild ? (
              <Link to="/loop" className="button primary">
                To the loop
              </Link>
            ) : (
              <TrainButton dataset={{ name: queue.dataset }} primary>
                Train a model
              </TrainButton>
            )}
            <Link to="/datasets/$id" params={{ id: queue.dataset }} search={closed || version === null ? {} : { v: version }} className="button">
              See the dataset
            </Link>
          </span>
        ) : (
          <Link to="/label" className="button primary">
            Other queues
          </Link>
        )}
      </section>
    </div>
  )
}
