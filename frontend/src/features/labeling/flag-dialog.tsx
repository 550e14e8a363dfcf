import { useState } from 'react'

import { TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'

interface FlagDialogProps {
  flag: { note: string } | null
  /** A note sets the flag, null takes it away. */
  onFlag: (note: string | null) => void
  onClose: () => void
}

/** Asks somebody to look at the image; labelling goes on meanwhile. */
export function FlagDialog({ flag, onFlag, onClose }: FlagDialogProps) {
  const [note, setNote] = useState(flag?.note ?? '')
  const say = (words: string | null) => {
    onFlag(words)
    onClose()
  }
  return (
    <FormDialog
      title="Flag for review"
      onClose={onClose}
      onSend={() => say(note.trim())}
      action={
        <>
          {flag ? 'Change the flag' : 'Flag'} <kbd>Enter</kbd>
        </>
      }
      beside={
        flag && (
          <button type="button" className="button" onClick={() => say(null)}>
            Remove the flag
          </button>
        )
      }
    >
      <TextField label="What should a reviewer look at?" maxLength={500} value={note} onChange={setNote} />
      <p className="small quiet">The image stays yours: answer or skip it as usual.</p>
    </FormDialog>
  )
}
