import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { useDataset } from '../../../shared/api/queries'
import type { Commit } from '../../../shared/api/types'
import { count, plural } from '../../../shared/format/numbers'
import { LabelLink } from '../../../shared/queues/label-link'
import { NotTaken } from './not-taken'
import { PassedOver } from './passed-over'

/** What a commit brought, and what it could not take; without `onClose` it stands in a page. */
export function Added({ commit, dataset, onClose }: { commit: Commit; dataset: string; onClose?: () => void }) {
  const client = useQueryClient()
  useEffect(() => void client.invalidateQueries({ queryKey: ['datasets'] }), [client])
  const { version, added, updated, labelled, unchanged, rejected, recognised, notes, converted, incomplete = [], passed_over = [], splits = [], corrected = 0, held_out: held, likeness, exact_duplicates: same, leaks } = commit
  const changed = added + updated + labelled > 0
  const now = useDataset(dataset)
  const unlabelled = now ? now.counts.samples - now.counts.labelled : 0
  const asks = useMay('review', now?.project) && unlabelled > 0
  return (
    <div className="stack" role="status">
      <p>
        <strong>{changed ? `Version ${version}:` : unchanged + rejected.length > 0 ? 'No new version: nothing changed.' : 'No new version: there are no files in it.'}</strong>{' '}
        {count(added)} added, {count(updated)} updated, {count(labelled)} labelled, {count(unchanged)} unchanged.
      </p>
      {splits.length > 0 && <p>Splits: {splits.map(({ split, samples, why }) => `${split} ${count(samples)}, ${why}`).join('; ')}.</p>}
      {corrected > 0 && <p>{plural(corrected, 'sample was', 'samples were')} taken out of test: no model was judged by them.</p>}
      {converted > 0 && <p>{plural(converted, 'image was', 'images were')} converted; the originals are kept.</p>}
      {recognised && (
        <p className="quiet">
          Read as {recognised.format}: {recognised.why}.
        </p>
      )}
      {held && (
        <p>
          {plural(held.samples, 'image')} ({count(held.labelled)} labelled) kept out of train: a test image shows nearly the same.{' '}
          <Link to="/datasets/$id/near-duplicates" params={{ id: dataset }} onClick={onClose}>
            Look at the pairs and decide
          </Link>
        </p>
      )}
      {likeness && <p className="quiet">{likeness.detail}</p>}
      {same.in_commit + same.in_dataset > 0 && (
        <p>
          Exact duplicates, kept: {count(same.in_commit)} within these files, {count(same.in_dataset)} of images that were there.
        </p>
      )}
      {leaks.length > 0 && (
        <p className="form-fault">{plural(leaks.length, 'image of train or val shows', 'images of train or val show')} nearly what a new test image shows.</p>
      )}
      {notes && notes.length > 0 && (
        <ul className="file-list" aria-label="Changed">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <PassedOver rows={passed_over} />
      {incomplete.length > 0 && (
        <>
          <p>Some objects can’t be kept. Their images stay unlabelled, because the remaining labels would be incomplete:</p>
          <ul className="file-list" aria-label="Objects that can’t be kept">
            {incomplete.map(({ code, reason, objects, images, examples }) => (
              <li key={code}>
                {plural(objects, 'object')} in {plural(images, 'image')}: {reason} <span className="quiet">({examples.join(', ')})</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <NotTaken rejected={rejected} />
      {asks && <p>{plural(unlabelled, 'image has', 'images have')} no label yet.</p>}
      <div className="row wrap">
        {asks && (
          <LabelLink dataset={dataset} primary {...(onClose ? { onClick: onClose } : {})}>
            Label these
          </LabelLink>
        )}
        {changed && version !== null && version > 1 && (
          <Link to="/datasets/$id/diff" params={{ id: dataset }} search={{ to: String(version) }} className={`button ${onClose && !asks ? 'primary' : ''}`} onClick={onClose}>
            See what changed
          </Link>
        )}
        {onClose ? (
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
        ) : (
          <Link to="/datasets/$id" params={{ id: dataset }} className={`button ${asks ? '' : 'primary'}`}>
            To the dataset
          </Link>
        )}
      </div>
    </div>
  )
}
