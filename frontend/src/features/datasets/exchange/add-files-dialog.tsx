import './exchange.css'

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import type { Commit, Dataset, Split } from '../../../shared/api/types'
import { bytes, plural } from '../../../shared/format/numbers'
import { JobProgress } from '../../../shared/live/job-progress'
import { isSplit, splits } from '../../../shared/routes/grid-search'
import { Dialog } from '../../../shared/ui/dialog'
import { Field } from '../../../shared/ui/form'
import { Failure } from '../../../shared/ui/messages'
import { Progress } from '../../../shared/ui/progress'
import { Added } from './added'
import { ChooseFiles } from './choose-files'
import { belowOneFolder, type ChosenFiles, picked, sorted } from './chosen-files'
import { useUpload } from './use-upload'

interface AddFilesDialogProps {
  dataset: Dataset
  dropped: { path: string; file: File }[]
  onClose: () => void
}

/** Choose, look at what was chosen, send, and see what became of it: one commit. */
export default function AddFilesDialog({ dataset, dropped, onClose }: AddFilesDialogProps) {
  const [found, setFound] = useState(dropped)
  const sending = useUpload(dataset.name)
  const client = useQueryClient()
  const chosen = prepared(found, dataset)
  const close = () => {
    sending.stop()
    onClose()
  }
  const refresh = () => void client.invalidateQueries({ queryKey: ['datasets'] })
  return (
    <Dialog open onClose={close} title={`Add files to ${dataset.name}`}>
      {sending.state === 'idle' && found.length === 0 && <Choose onFound={setFound} />}
      {sending.state === 'idle' && found.length > 0 && (
        <Review chosen={chosen} onBack={() => setFound([])} onSend={(split, message) => void sending.send(chosen.files, { split, message }).then(refresh)} />
      )}
      {sending.state === 'sending' && (
        <div className="stack">
          <Progress done={sending.sent} total={sending.total} label="Sent" />
          <p className="quiet small" role="status">
            {sending.sent < sending.total ? `${bytes(sending.sent)} of ${bytes(sending.total)} sent` : 'All is sent; the server looks at it.'}
          </p>
          <p className="quiet small">Closing this stops the upload. The dataset stays as it is until the last file has arrived.</p>
        </div>
      )}
      {sending.state === 'failed' && (
        <Failure
          what="The files were not added"
          error={sending.error}
          safe="The dataset is as it was."
          retry={() => void sending.again().then(refresh)}
        />
      )}
      {sending.state === 'reading' && (
        <JobProgress id={sending.job} what="Reading the files" safe="The dataset is as it was; the files can be sent again.">
          {(job) => <Added commit={job.result as unknown as Commit} dataset={dataset.name} onClose={onClose} />}
        </JobProgress>
      )}
      {sending.state === 'done' && <Added commit={sending.commit} dataset={dataset.name} onClose={onClose} />}
    </Dialog>
  )
}

function prepared(found: { path: string; file: File }[], dataset: Dataset): ChosenFiles {
  const shorter = belowOneFolder(
    found.map(({ path }) => path),
    new Set<string>([...splits, ...dataset.classes]),
  )
  return sorted(found.map(({ path, file }) => ({ path: shorter(path), file })))
}

function Choose({ onFound }: { onFound: (found: { path: string; file: File }[]) => void }) {
  return (
    <div className="stack choose-files">
      <p>
        Drop a folder or files on the page, or choose them here. A path such as <code>train/cat/1.png</code> becomes the key; folders named after
        splits and classes become split and label.
      </p>
      <ChooseFiles onChosen={(files) => onFound(picked(files))} />
    </div>
  )
}

interface ReviewProps {
  chosen: ChosenFiles
  onBack: () => void
  onSend: (split: Split | null, message: string) => void
}

function Review({ chosen, onBack, onSend }: ReviewProps) {
  const [split, setSplit] = useState<Split | null>(null)
  const [message, setMessage] = useState('')
  const others = chosen.files.length - chosen.images
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onSend(split, message)
      }}
    >
      <p role="status">
        <strong>
          {plural(chosen.images, 'image')}
          {others > 0 && ` and ${plural(others, 'annotation file')}`}, {bytes(chosen.bytes)}
        </strong>
        {chosen.left.length > 0 && `; ${plural(chosen.left.length, 'other file stays', 'other files stay')} behind`}
      </p>
      <ul className="file-list mono" aria-label="The first files">
        {chosen.files.slice(0, 6).map(({ name }) => (
          <li key={name} className="cut">
            {name}
          </li>
        ))}
        {chosen.files.length > 6 && <li className="quiet">and {plural(chosen.files.length - 6, 'more', 'more')}</li>}
      </ul>
      <Field label="Split" hint="Where the folders or annotations say nothing, new images go to the pool.">
        {(joined) => (
          <select
            {...joined}
            className="field"
            value={split ?? ''}
            onChange={({ target }) => setSplit(isSplit(target.value) ? target.value : null)}
          >
            <option value="">as the folders say</option>
            {splits.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Message" hint="What this version brings, for the list of versions.">
        {(joined) => <input {...joined} className="field" maxLength={500} value={message} onChange={({ target }) => setMessage(target.value)} />}
      </Field>
      <div className="row">
        <button type="submit" className="button primary" disabled={chosen.files.length === 0}>
          Add {plural(chosen.files.length, 'file')}
        </button>
        <button type="button" className="button" onClick={onBack}>
          Choose others
        </button>
      </div>
      {chosen.files.length === 0 && <p role="alert">There is no image and no annotation file among them.</p>}
    </form>
  )
}
