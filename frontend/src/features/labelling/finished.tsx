import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { api, take } from '../../shared/api/client'
import type { Commit, Queue, QueueCounts } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { Failure } from '../../shared/ui/messages'
import { useOutbox } from './outbox-app'

/** All is answered: the labels become a version of the dataset. */
export function Finished({ queue, counts }: { queue: Queue; counts: QueueCounts }) {
  const client = useQueryClient()
  const { waiting } = useOutbox()
  const commit = useMutation({
    mutationFn: () => take(api.POST('/labeling/queues/{reference}/commit', { params: { path: { reference: String(queue.id) } }, body: { message: '', partial: false } })),
    onSuccess: () =>
      Promise.all(['queues', 'datasets', 'pipelines', 'rounds'].map((noun) => client.invalidateQueries({ queryKey: [noun] }))),
  })
  if (commit.data) return <Committed queue={queue} version={commit.data.version} commit={commit.data} />
  if (queue.state === 'committed') return <Committed queue={queue} version={queue.committed_version} />
  const skipped = counts.skipped > 0 ? ` ${plural(counts.skipped, 'skipped sample stays', 'skipped samples stay')} unlabelled.` : ''
  return (
    <div className="page">
      <section className="panel message" aria-label="Complete">
        <h2>All {count(counts.total)} are done</h2>
        <p>
          Committing writes the {plural(counts.done, 'label')} as a new version of {queue.dataset}, in one step.{skipped} Until then, ⌫
          still takes answers back.
        </p>
        <button
          type="button"
          className="button primary"
          disabled={commit.isPending || waiting > 0 || counts.done === 0}
          onClick={() => commit.mutate()}
        >
          {waiting > 0 ? `Saving ${waiting} first…` : commit.isPending ? 'Committing…' : `Commit ${plural(counts.done, 'label')}`}
        </button>
        {commit.isError && (
          <Failure what="The labels were not committed" error={commit.error} safe="All answers stay in the queue; commit again when it is mended." />
        )}
      </section>
    </div>
  )
}

function Committed({ queue, version, commit }: { queue: Queue; version: number | null; commit?: Commit }) {
  return (
    <div className="page">
      <section className="panel message" aria-label="Committed">
        <h2>{version === null ? 'Committed' : `Committed as version ${version} of ${queue.dataset}`}</h2>
        {commit && (
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
        <span className="row">
          <Link to="/" className="button primary">
            To the loop
          </Link>
          <Link to="/datasets/$id" params={{ id: queue.dataset }} search={version === null ? {} : { v: version }} className="button">
            See the dataset
          </Link>
        </span>
      </section>
    </div>
  )
}
