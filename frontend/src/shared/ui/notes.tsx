import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { explain } from '../api/errors'
import { lengthFault } from '../format/text-length'
import { Fault, Form, FormFault } from './form'

interface NotesProps {
  notes: string
  /** What to write there: `What you tried, and the result`. */
  hint: string
  /** Resolves once the server has them and the page's reads are renewed; null for those who may only read them. */
  save: ((notes: string) => Promise<unknown>) | null
}

/** Characters that the notes of anything may have. */
export const longestNotes = 20_000

/** Free text that is saved by a button; unsaved changes say so. */
export function Notes({ notes, hint, save }: NotesProps) {
  if (save === null) return notes === '' ? <p className="quiet">No notes yet.</p> : <p style={{ whiteSpace: 'pre-wrap' }}>{notes}</p>
  return <Editable notes={notes} hint={hint} save={save} />
}

function Editable({ notes, hint, save }: NotesProps & { save: (notes: string) => Promise<unknown> }) {
  const [draft, setDraft] = useState<string | null>(null)
  const id = useId()
  const saving = useMutation({ mutationFn: save, onSuccess: () => setDraft(null) })
  const changed = draft !== null && draft !== notes
  const tooLong = lengthFault(draft ?? '', longestNotes)
  return (
    <Form
      sending={{ error: null, isPending: saving.isPending }}
      onSend={() => saving.mutate(draft ?? notes)}
      faults={{ notes: tooLong }}
      refusal={changed ? null : 'The notes are saved as they are.'}
    >
      <label className="visually-hidden" htmlFor={id}>
        Notes
      </label>
      <textarea
        id={id}
        className="field"
        rows={4}
        placeholder={hint}
        aria-invalid={tooLong !== null}
        value={draft ?? notes}
        onChange={({ target }) => setDraft(target.value)}
      />
      <Fault>{tooLong === null ? null : `The notes ${tooLong}`}</Fault>
      {saving.isError && <Fault>The notes were not saved; they stay here. {explain(saving.error)}</Fault>}
      <FormFault />
      <div className="row">
        <button type="submit" className="button" disabled={saving.isPending}>
          {saving.isPending ? 'Saving…' : 'Save notes'}
        </button>
        <span className="quiet small" role="status">
          {changed ? 'Not saved yet' : ''}
        </span>
      </div>
    </Form>
  )
}
