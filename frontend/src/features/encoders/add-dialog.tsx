import { useState } from 'react'

import type { Encoder } from '../../shared/api/types'
import { amount, given } from '../../shared/format/amount'
import { FileField } from '../../shared/onnx/file-field'
import { asTheFileSays, readingFaults, readingOf } from '../../shared/onnx/reading-draft'
import { ReadingFields } from '../../shared/onnx/reading-fields'
import { UploadDialog } from '../../shared/onnx/upload-dialog'
import { ProjectField, useProjectChoice } from '../../shared/project-choice/project-field'
import { SelectField, TextArea, TextField } from '../../shared/ui/fields'
import { longestNotes } from '../../shared/ui/notes'
import { toast } from '../../shared/ui/toast-store'

const renews = [['encoders'], ['jobs']]

/** Brings a pair of networks that were trained together on images and their words. */
export default function AddEncoderDialog({ onClose }: { onClose: () => void }) {
  const [files, setFiles] = useState<Record<string, File | null>>({})
  const [reading, setReading] = useState(asTheFileSays)
  const [draft, setDraft] = useState({ name: '', notes: '', textLength: '', fill: '', imageOutput: '', textOutput: '' })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const choose = (part: string) => (file: File | null) => setFiles({ ...files, [part]: file })
  const project = useProjectChoice()
  const name = draft.name.trim()
  const form = () => {
    const typed = {
      text_length: amount(draft.textLength),
      fill: draft.fill === '' ? null : draft.fill === 'yes',
      image_output: draft.imageOutput || null,
      text_output: draft.textOutput || null,
      notes: draft.notes || null,
    }
    const made = new FormData()
    for (const [field, value] of Object.entries({ name, ...project.part, metadata: JSON.stringify({ ...readingOf(reading), ...given(typed) }) })) made.append(field, value)
    for (const [part, file] of Object.entries(files)) if (file !== null) made.append(part, file, file.name)
    return made
  }
  return (
    <UploadDialog<Encoder>
      title="Add an encoder"
      path="/encoders"
      renews={renews}
      form={form}
      action="Add the encoder"
      faults={readingFaults(reading)}
      made={`The encoder ${name} is there. Compute embeddings with it on a dataset’s page, by a search or by “Compared by”.`}
      onMade={(made) => {
        toast('plain', `The encoder ${made.name} is there`)
        onClose()
      }}
      onClose={onClose}
    >
      <TextField name="name" label="Name" hint="Small letters, digits, and . _ - between them." required maxLength={100} value={draft.name} onChange={(typed) => change({ name: typed })} />
      <ProjectField choice={project} />
      <div className="form-columns">
        <FileField name="image" label="Image encoder" hint="ONNX, without external data." accept=".onnx" required onChange={choose('image')} />
        <FileField name="text" label="Text encoder" hint="ONNX. Both have at most 2 GiB together." accept=".onnx" required onChange={choose('text')} />
      </div>
      <div className="form-columns">
        <FileField name="tokenizer" label="Tokenizer" hint="tokenizer.json, as Hugging Face’s tokenizers write it." accept=".json" required onChange={choose('tokenizer')} />
        <FileField name="preprocessor" label="Preprocessor" hint="preprocessor_config.json: size, mean and deviation of the images. Optional." accept=".json" onChange={choose('preprocessor')} />
      </div>
      <TextArea name="metadata.notes" label="Notes" hint="What it is, and under which licence." rows={2} maxLength={longestNotes} value={draft.notes} onChange={(notes) => change({ notes })} />
      <details className="fold">
        <summary>How it reads images</summary>
        <ReadingFields draft={reading} onChange={setReading} otherwise="as the preprocessor says, else CLIP’s" />
      </details>
      <details className="fold">
        <summary>How it reads texts, and what it answers</summary>
        <div className="stack">
          <div className="form-columns">
            <TextField
              name="metadata.text_length"
              label="Tokens read of a text"
              hint="Empty: as graph or tokenizer say, else 77."
              inputMode="numeric"
              value={draft.textLength}
              onChange={(textLength) => change({ textLength })}
            />
            <SelectField name="metadata.fill" label="Shorter texts are filled up" value={draft.fill} onChange={(fill) => change({ fill })} options={[['yes', 'to that length, as for SigLIP'], ['no', 'not']]}>
              <option value="">as graph or tokenizer say</option>
            </SelectField>
          </div>
          <div className="form-columns">
            <TextField name="metadata.image_output" label="Output of the image encoder" hint="Its name. Empty: the only one." value={draft.imageOutput} onChange={(imageOutput) => change({ imageOutput })} />
            <TextField name="metadata.text_output" label="Output of the text encoder" hint="Its name. Empty: the only one." value={draft.textOutput} onChange={(textOutput) => change({ textOutput })} />
          </div>
        </div>
      </details>
    </UploadDialog>
  )
}
