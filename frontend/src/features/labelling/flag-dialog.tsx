import { useState } from 'react'

import { Dialog } from '../../shared/ui/dialog'

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
    <Dialog open onClose={onClose} title="Flag for review">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          say(note.trim())
        }}
      >
        <label htmlFor="flag-note">What should a reviewer look at?</label>
        <input id="flag-note" className="field" maxLength={500} value={note} onChange={(event) => setNote(event.target.value)} />
        <p className="small quiet">The image stays yours: answer or skip it as usual.</p>
        <span className="row">
          <button type="submit" className="button primary">
            {flag ? 'Change the flag' : 'Flag'} <kbd>Enter</kbd>
          </button>
          {flag && (
            <button type="button" className="button" onClick={() => say(null)}>
              Take the flag away
            </button>
          )}
        </span>
      </form>
    </Dialog>
  )
}
