import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { CheckDialog } from '../../shared/onnx/upload-dialog'
import { ProjectField, useProjectChoice } from '../../shared/project-choice/project-field'
import { TextArea, TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'
import { longestNotes } from '../../shared/ui/notes'
import { toast } from '../../shared/ui/toast-store'

const renews = [['encoders'], ['jobs']]
const title = 'Fetch an encoder'
const parts = [
  ['image', 'Image encoder', 'ONNX, without external data.'],
  ['text', 'Text encoder', 'ONNX. Both have at most 2 GiB together.'],
  ['tokenizer', 'Tokenizer', 'tokenizer.json, as Hugging Face’s tokenizers write it.'],
] as const
type Part = (typeof parts)[number][0]
const none = { url: '', sha256: '' }

/** Lets the platform fetch a pair of networks from addresses, held against their digests. */
export default function FetchEncoderDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState({ name: '', notes: '' })
  const [sources, setSources] = useState<Record<Part, typeof none>>({ image: none, text: none, tokenizer: none })
  const [job, setJob] = useState<number | null>(null)
  const project = useProjectChoice()
  const name = draft.name.trim()
  const made = `The encoder ${name} is there. Compute embeddings with it on a dataset’s page, by a search or by “Compared by”.`
  const send = useMutation({
    mutationFn: () => take(api.POST('/encoders', { body: { name, ...project.part, ...sources, metadata: draft.notes === '' ? {} : { notes: draft.notes } } })),
    meta: { renews },
    onSuccess: (told) => {
      if ('job' in told) { setJob(told.job.id); return; }
      toast('plain', `The encoder ${told.name} is there`)
      onClose()
    },
  })
  if (job !== null) return <CheckDialog title={title} job={job} what="The fetch" made={made} renews={renews} onClose={onClose} />
  const change = (part: Part, typed: Partial<typeof none>) => setSources({ ...sources, [part]: { ...sources[part], ...typed } })
  return (
    <FormDialog title={title} wide onClose={onClose} sending={send} onSend={() => send.mutate()} action="Fetch the encoder" doing="Fetching…">
      <p className="quiet small">The platform fetches the files from hosts that an operator allows (MOTHERLODE_IMPORT_HOSTS), and refuses a file with another digest.</p>
      <TextField name="name" label="Name" hint="Small letters, digits, and . _ - between them." required maxLength={100} value={draft.name} onChange={(typed) => setDraft({ ...draft, name: typed })} />
      <ProjectField choice={project} />
      {parts.map(([part, label, hint]) => (
        <div key={part} className="form-columns">
          <TextField name={`${part}.url`} label={`${label}: address`} hint={hint} type="url" required value={sources[part].url} onChange={(url) => change(part, { url: url.trim() })} />
          <TextField
            name={`${part}.sha256`}
            label={`${label}: SHA-256`}
            hint="64 digits, as the page of the file or sha256sum shows."
            required
            maxLength={64}
            value={sources[part].sha256}
            onChange={(sha256) => change(part, { sha256: sha256.trim().toLowerCase() })}
          />
        </div>
      ))}
      <TextArea name="metadata.notes" label="Notes" hint="What it is, and under which licence." rows={2} maxLength={longestNotes} value={draft.notes} onChange={(notes) => setDraft({ ...draft, notes })} />
    </FormDialog>
  )
}
