import { useMutation } from '@tanstack/react-query'
import { ImagePlus } from 'lucide-react'
import { type DragEvent, useId, useRef, useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { ModelVersionDetail } from '../../shared/api/types'
import { explain } from '../../shared/api/errors'
import { plural } from '../../shared/format/numbers'
import { Answers } from './answers'
import { BoxAnswers } from './box-answers'
import { type ChosenImages, chooseImages, mostActivations, mostImages, release } from './chosen-images'
import { thresholdsOf } from './evaluation'

interface TryImagesProps {
  detail: ModelVersionDetail
  classes: string[]
  /** It finds objects. */
  boxes: boolean
}

/** Images of one's own, answered by the file that ships; on request with what each layer makes of them. */
export default function TryImages({ detail, classes, boxes }: TryImagesProps) {
  const [chosen, setChosen] = useState<ChosenImages>({ images: [], left: null })
  const [activations, setActivations] = useState(false)
  const [artifact, setArtifact] = useState('model.onnx')
  const ask = useMutation({ mutationFn: (asked: Asked) => predict(detail, asked) })
  const send = (images: ChosenImages['images'], change: Partial<Asked> = {}) => {
    if (images.length === 0) return
    const asked = { files: images.map(({ file }) => file), artifact, activations, ...change }
    ask.mutate({ ...asked, activations: asked.activations && images.length <= mostActivations })
  }
  const onFiles = (files: File[]) => {
    release(chosen)
    const next = chooseImages(files)
    setChosen(next)
    ask.reset()
    send(next.images)
  }
  const tooMany = chosen.images.length > mostActivations
  return (
    <section className="panel" aria-labelledby="try">
      <div className="panel-head">
        <h2 id="try" className="grow">
          Try an image
        </h2>
        <ArtifactPicker
          detail={detail}
          value={artifact}
          onChange={(wanted) => {
            setArtifact(wanted)
            send(chosen.images, { artifact: wanted })
          }}
        />
        <label className="row">
          <input
            type="checkbox"
            checked={activations}
            onChange={({ target }) => {
              setActivations(target.checked)
              if (target.checked) send(chosen.images, { activations: true })
            }}
          />
          Activations of each layer
        </label>
      </div>
      <div className="panel-body stack">
        <DropZone onFiles={onFiles} />
        {chosen.left !== null && <p className="form-fault">{chosen.left}</p>}
        {activations && tooMany && <p className="form-fault">Activations are shown of at most {plural(mostActivations, 'image')} at once: choose fewer.</p>}
        <p className="quiet small" role="status">
          {ask.isPending && `Running v${detail.version} on ${plural(chosen.images.length, 'image')}…`}
        </p>
        {ask.isError && (
          <p className="form-fault" role="alert">
            {explain(ask.error)} Choose another image.
          </p>
        )}
        {ask.data &&
          (boxes ? (
            <BoxAnswers results={ask.data.results} images={chosen.images} classes={classes} thresholds={thresholdsOf(detail.metrics, ask.data.artifact)} />
          ) : (
            <Answers answers={ask.data} images={chosen.images} classes={classes} />
          ))}
      </div>
    </section>
  )
}

interface ArtifactPickerProps {
  detail: ModelVersionDetail
  value: string
  onChange: (artifact: string) => void
}

/** Which precision answers, where the version has more than one. */
function ArtifactPicker({ detail, value, onChange }: ArtifactPickerProps) {
  const files = detail.artifacts.map(({ path }) => path).filter((path) => path.endsWith('.onnx'))
  if (files.length < 2) return null
  return (
    <select className="field" aria-label="Model file" value={value} onChange={({ target }) => onChange(target.value)}>
      {files.map((path) => (
        <option key={path}>{path}</option>
      ))}
    </select>
  )
}

interface Asked {
  files: File[]
  artifact: string
  activations: boolean
}

const top = 5

async function predict({ model, version }: ModelVersionDetail, { files, artifact, activations }: Asked) {
  const form = new FormData()
  for (const file of files) form.append('file', file, file.name)
  form.append('top', String(top))
  form.append('artifact', artifact)
  form.append('activations', String(activations))
  const params = { path: { model, version: String(version) } }
  // The form is the body as it stands; the generated type knows the fields but not that files are files.
  const body = { file: [], top, artifact, activations }
  return take(api.POST('/models/{model}/versions/{version}/predict', { params, body, bodySerializer: () => form }))
}

function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const id = useId()
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFiles([...event.dataTransfer.files])
  }
  return (
    // Dropping is the pointer's way; the button does the same by keyboard.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={`drop-zone ${over ? 'over' : ''}`} onDragOver={onDragOver} onDragLeave={() => setOver(false)} onDrop={onDrop}>
      <button type="button" className="button" onClick={() => input.current?.click()}>
        <ImagePlus size={14} aria-hidden />
        Choose images
      </button>
      <span className="quiet">or drop up to {mostImages} here. They are not kept.</span>
      <label className="visually-hidden" htmlFor={id}>
        Images to try
      </label>
      <input
        ref={input}
        id={id}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
    </div>
  )
}
