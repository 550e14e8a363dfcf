import './exchange.css'

import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import type { Dataset, Split } from '../../../shared/api/types'
import { bytes, plural } from '../../../shared/format/numbers'
import { isSplit, splits } from '../../../shared/routes/grid-search'
import { Dialog } from '../../../shared/ui/dialog'
import { Check, SelectField, TextField } from '../../../shared/ui/fields'
import { Fault, Form } from '../../../shared/ui/form'
import { Added } from './added'
import { ChooseFiles } from './choose-files'
import { archiveOf, belowOneFolder, type ChosenFiles, type FoundFile, picked, sorted } from './chosen-files'
import { Conversion } from './conversion'
import { LeftBehind } from './left-behind'
import { NamesEncoding } from './names-encoding'
import { SendingView } from './sending-view'
import { type UploadOptions, useUpload } from './use-upload'

interface AddFilesDialogProps {
  dataset: Dataset
  dropped: FoundFile[]
  onClose: () => void
}

/** Choose, look at what was chosen, send, and see what became of it: one commit. */
export default function AddFilesDialog({ dataset, dropped, onClose }: AddFilesDialogProps) {
  const [found, setFound] = useState(dropped)
  const [convert, setConvert] = useState(false)
  const [encoding, setEncoding] = useState<string | null>(null)
  const sending = useUpload(dataset.name)
  const client = useQueryClient()
  const archive = archiveOf(found)
  const chosen = prepared(found, dataset, convert)
  const conversion = <Conversion on={convert} onChange={setConvert} />
  const close = () => {
    sending.stop()
    onClose()
  }
  const refresh = () => void client.invalidateQueries({ queryKey: ['datasets'] })
  return (
    <Dialog onClose={close} title={`Add files to ${dataset.name}`}>
      {sending.state === 'idle' && found.length === 0 && <Choose onFound={setFound} />}
      {sending.state === 'idle' && archive && (
        <Review ready what="Add the archive" onBack={() => setFound([])} onSend={(options) => void sending.sendArchive(archive, { ...options, convert, encoding }).then(refresh)}>
          <p role="status">
            <strong>{archive.name}</strong>, {bytes(archive.size)}. Its folders and annotation files are read as those of a folder are.
          </p>
          {conversion}
          <NamesEncoding value={encoding} onChange={setEncoding} />
        </Review>
      )}
      {sending.state === 'idle' && !archive && found.length > 0 && (
        <Review
          ready={chosen.files.length > 0}
          what={`Add ${plural(chosen.files.length, 'file')}`}
          onBack={() => setFound([])}
          onSend={(options) => void sending.send(chosen.files, { ...options, convert }).then(refresh)}
        >
          <FoundFiles chosen={chosen} />
          {chosen.convertible > 0 && conversion}
        </Review>
      )}
      <SendingView sending={sending} into="dataset">
        {(commit) => <Added commit={commit} dataset={dataset.name} onClose={onClose} />}
      </SendingView>
    </Dialog>
  )
}

function prepared(found: FoundFile[], dataset: Dataset, convert: boolean): ChosenFiles {
  const shorter = belowOneFolder(
    found.map(({ path }) => path),
    new Set<string>([...splits, ...dataset.classes]),
  )
  return sorted(
    found.map((one) => ({ ...one, path: shorter(one.path) })),
    convert,
  )
}

function Choose({ onFound }: { onFound: (found: FoundFile[]) => void }) {
  return (
    <div className="stack choose-files">
      <p>
        Drop a folder, files or an archive (zip, tar, tar.gz) on the page, or choose them here. A path such as <code>train/cat/1.png</code> becomes the key; folders named after
        splits and classes become split and label.
      </p>
      <ChooseFiles onChosen={(files) => void picked(files).then(onFound)} />
    </div>
  )
}

function FoundFiles({ chosen }: { chosen: ChosenFiles }) {
  const others = chosen.files.length - chosen.images
  return (
    <>
      <p role="status">
        <strong>
          {plural(chosen.images, 'image')}
          {others > 0 && ` and ${plural(others, 'annotation file')}`}, {bytes(chosen.bytes)}
        </strong>
      </p>
      <LeftBehind files={chosen.left} />
      <ul className="file-list mono" aria-label="The first files">
        {chosen.files.slice(0, 6).map(({ name }) => (
          <li key={name} className="cut">
            {name}
          </li>
        ))}
        {chosen.files.length > 6 && <li className="quiet">and {plural(chosen.files.length - 6, 'more', 'more')}</li>}
      </ul>
    </>
  )
}

const noFiles = 'There is no image or annotation file among these files.'

interface ReviewProps {
  /** There is something to send. */
  ready: boolean
  /** On the button. */
  what: string
  onBack: () => void
  onSend: (options: Omit<UploadOptions, 'convert' | 'encoding'>) => void
  /** What was chosen. */
  children: ReactNode
}

function Review({ ready, what, onBack, onSend, children }: ReviewProps) {
  const [split, setSplit] = useState<Split | null>(null)
  const [message, setMessage] = useState('')
  const [strict, setStrict] = useState(false)
  return (
    <Form
      onSend={() => onSend({ split, message, strict })}
      action={what}
      refusal={ready ? null : noFiles}
      beside={
        <button type="button" className="button" onClick={onBack}>
          Choose others
        </button>
      }
    >
      {children}
      <SelectField
        label="Split"
        hint="New images go to the pool unless their folders or annotations name a split."
        value={split ?? ''}
        onChange={(value) => setSplit(isSplit(value) ? value : null)}
        options={splits}
      >
        <option value="">from the folders</option>
      </SelectField>
      <TextField label="Message" hint="What changes in this version. Shown in the list of versions." maxLength={500} value={message} onChange={setMessage} />
      <Check checked={strict} onChange={setStrict}>
        Stop if any file is invalid <span className="quiet">(otherwise it is skipped and listed)</span>
      </Check>
      <Fault>{ready ? null : noFiles}</Fault>
    </Form>
  )
}
