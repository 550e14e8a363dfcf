import '../exchange/exchange.css'

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import type { Dataset } from '../../../shared/api/types'
import { bytes, count, plural } from '../../../shared/format/numbers'
import { Dialog } from '../../../shared/ui/dialog'
import { TextField } from '../../../shared/ui/fields'
import { Fault, Form } from '../../../shared/ui/form'
import { ChooseFiles } from '../exchange/choose-files'
import { type FoundFile, picked } from '../exchange/chosen-files'
import { LeftBehind } from '../exchange/left-behind'
import { NamesEncoding } from '../exchange/names-encoding'
import { NotTaken } from '../exchange/not-taken'
import { SendingView } from '../exchange/sending-view'
import { type ChosenFrames, chosenFrames, mostImages, prefixFault } from './chosen-frames'
import { type Filled, useFilling } from './use-filling'

interface AddFramesDialogProps {
  dataset: Dataset
  dropped: FoundFile[]
  onClose: () => void
}

/** Choose images, an archive or a manifest, send them, and see what became of them: one part of the lake. */
export default function AddFramesDialog({ dataset, dropped, onClose }: AddFramesDialogProps) {
  const [found, setFound] = useState(dropped)
  const [encoding, setEncoding] = useState<string | null>(null)
  const sending = useFilling(dataset.name)
  const close = () => {
    sending.stop()
    onClose()
  }
  const chosen = found.length === 0 ? null : chosenFrames(found)
  return (
    <Dialog onClose={close} title={`Add frames to the lake of ${dataset.name}`}>
      {sending.state === 'idle' && chosen === null && <Choose onFound={setFound} />}
      {sending.state === 'idle' && chosen?.source === 'images' && (
        <Images chosen={chosen} onBack={() => setFound([])} onSend={(prefix) => void sending.sendImages(chosen.images, prefix)} />
      )}
      {sending.state === 'idle' && chosen !== null && chosen.source !== 'images' && (
        <Form
          onSend={() => void sending.sendFile(chosen.source, chosen.file, encoding)}
          action={chosen.source === 'archive' ? 'Add the archive' : 'Add the manifest'}
          beside={<Back onBack={() => setFound([])} />}
        >
          <p role="status">
            <strong>{chosen.file.name}</strong>, {bytes(chosen.file.size)}.{' '}
            {chosen.source === 'archive'
              ? 'The paths in it become the keys of the frames; what is no image is refused, with the reason.'
              : 'Its rows are checked before anything is kept: each names a frame in a pack that the store holds.'}
          </p>
          {chosen.source === 'archive' && <NamesEncoding value={encoding} onChange={setEncoding} />}
        </Form>
      )}
      <SendingView sending={sending} into="lake">
        {(filled) => <InLake filled={filled} onClose={onClose} />}
      </SendingView>
    </Dialog>
  )
}

function Choose({ onFound }: { onFound: (found: FoundFile[]) => void }) {
  return (
    <div className="stack choose-files">
      <p>
        Drop a folder of images, an archive of them (zip, tar, tar.gz) or a manifest (.parquet) on the page, or choose it here. What comes in together is a part of the lake: it
        never changes, and is removed as a whole.
      </p>
      <ChooseFiles onChosen={(files) => void picked(files).then(onFound)} />
    </div>
  )
}

function Back({ onBack }: { onBack: () => void }) {
  return (
    <button type="button" className="button" onClick={onBack}>
      Choose others
    </button>
  )
}

interface ImagesProps {
  chosen: Extract<ChosenFrames, { source: 'images' }>
  onBack: () => void
  onSend: (prefix: string) => void
}

function Images({ chosen: { images, bytes: size, folder, left }, onBack, onSend }: ImagesProps) {
  const [prefix, setPrefix] = useState(folder)
  const [first] = images
  const tooMany = `At most ${count(mostImages)} images at a time: choose fewer, or use lode lake push, which sends a folder of any size.`
  const refusal = images.length === 0 ? 'There is no image among these files.' : images.length > mostImages ? tooMany : null
  return (
    <Form onSend={() => onSend(prefix)} action={`Add ${plural(images.length, 'image')}`} refusal={refusal} beside={<Back onBack={onBack} />}>
      <p role="status">
        <strong>
          {plural(images.length, 'image')}, {bytes(size)}
        </strong>
      </p>
      <LeftBehind files={left} />
      {first && (
        <TextField
          label="Keys begin with"
          hint={`The first key: ${prefix}${first.name}. The keys of a part may not reach into those of another, so give each drive or day its own beginning.`}
          maxLength={300}
          value={prefix}
          onChange={setPrefix}
          fault={prefixFault(prefix)}
        />
      )}
      <Fault>{refusal}</Fault>
    </Form>
  )
}

function InLake({ filled: { frames, bytes: size, refused = 0, first_refused: first = [] }, onClose }: { filled: Filled; onClose: () => void }) {
  const client = useQueryClient()
  useEffect(() => void client.invalidateQueries({ queryKey: ['datasets'] }), [client])
  return (
    <div className="stack" role="status">
      <p>
        <strong>
          {plural(frames, 'frame')} ({bytes(size)})
        </strong>{' '}
        added to the lake{refused > 0 && `; ${plural(refused, 'file was', 'files were')} refused`}.
      </p>
      <NotTaken rejected={first} />
      {refused > first.length && <p className="quiet small">The first {count(first.length)} are listed.</p>}
      <div className="row">
        <button type="button" className="button primary" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  )
}
