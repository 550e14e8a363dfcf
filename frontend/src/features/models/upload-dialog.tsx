import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import type { Model, ModelVersionDetail } from '../../shared/api/types'
import { refusalFor } from '../../shared/classes/learns-the-same'
import { given } from '../../shared/format/amount'
import { FileField } from '../../shared/onnx/file-field'
import { asTheFileSays, readingFaults, readingOf } from '../../shared/onnx/reading-draft'
import { ReadingFields } from '../../shared/onnx/reading-fields'
import { UploadDialog } from '../../shared/onnx/upload-dialog'
import { DatasetField } from '../../shared/training/dataset-field'
import { VersionField } from '../../shared/training/version-field'
import { Check, TextArea, TextField } from '../../shared/ui/fields'
import { longestNotes } from '../../shared/ui/notes'

const renews = [['models'], ['jobs']]

/** Brings an ONNX file from elsewhere as a version, after the checks that files made here pass. */
export default function UploadVersionDialog({ model, onClose }: { model: Model; onClose: () => void }) {
  const [onnx, setOnnx] = useState<File | null>(null)
  const [reading, setReading] = useState(asTheFileSays)
  const [draft, setDraft] = useState({ dataset: '', version: 'head', notes: '', logits: '', embedding: '', probabilities: false })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const navigate = useNavigate()
  const form = () => {
    const { dataset, version, notes, logits, embedding, probabilities } = draft
    const typed = { dataset: dataset === '' ? null : { dataset, version }, notes: notes || null, logits: logits || null, embedding: embedding || null, probabilities: probabilities || null }
    const metadata = { ...readingOf(reading), ...given(typed) }
    const made = new FormData()
    made.append('metadata', JSON.stringify(metadata))
    if (onnx !== null) made.append('onnx', onnx, onnx.name)
    return made
  }
  return (
    <UploadDialog<ModelVersionDetail>
      title={`Upload a version of ${model.name}`}
      path={`/models/${encodeURIComponent(model.name)}/versions`}
      renews={renews}
      form={form}
      action="Upload"
      faults={readingFaults(reading)}
      made={`The file is a version of ${model.name} now, the newest.`}
      onMade={({ version }) => {
        onClose()
        void navigate({ to: '/models/$model/$version', params: { model: model.name, version: String(version) } })
      }}
      onClose={onClose}
    >
      <FileField
        name="onnx"
        label="ONNX file"
        hint={`One file without external data, at most 2 GiB. Its outputs are the ${model.classes.length} classes of this model, in their order.`}
        accept=".onnx"
        required
        onChange={setOnnx}
      />
      <DatasetField
        right="read"
        everywhere
        first={[{ value: '', words: 'no dataset' }]}
        refusal={(dataset) => refusalFor(model, dataset)}
        name="metadata.dataset"
        label="Prove and evaluate on"
        hint={draft.dataset === '' ? 'Without a dataset it is proved on noise and not evaluated; the gate “parity” then refuses it.' : undefined}
        value={draft.dataset}
        onChange={(dataset) => change({ dataset, version: 'head' })}
      />
      {draft.dataset !== '' && <VersionField dataset={draft.dataset} value={draft.version} onChange={(version) => change({ version })} />}
      <TextArea name="metadata.notes" label="Notes" hint="Optional." rows={2} maxLength={longestNotes} value={draft.notes} onChange={(notes) => change({ notes })} />
      <details className="fold">
        <summary>How it reads images</summary>
        <ReadingFields draft={reading} onChange={setReading} otherwise="nothing is done" />
      </details>
      <details className="fold">
        <summary>What it answers</summary>
        <div className="stack">
          <div className="form-columns">
            <TextField
              name="metadata.logits"
              label="Output with the classes"
              hint="Its name. Empty: the only one with a number for each class."
              value={draft.logits}
              onChange={(logits) => change({ logits })}
            />
            <TextField name="metadata.embedding" label="Tensor that describes an image" hint="Its name. Empty: what feeds the last dense layer." value={draft.embedding} onChange={(embedding) => change({ embedding })} />
          </div>
          <Check checked={draft.probabilities} onChange={(probabilities) => change({ probabilities })}>
            The output holds probabilities already
          </Check>
        </div>
      </details>
    </UploadDialog>
  )
}
