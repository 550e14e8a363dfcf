import { useState } from 'react'

import { digitIndex } from '../../shared/keys/keyboard'
import { Dialog } from '../../shared/ui/dialog'
import { Form, FormFault } from '../../shared/ui/form'

interface SkipDialogProps {
  reasons: readonly string[]
  onSkip: (reason: string) => void
  onClose: () => void
}

/** Why an image is skipped: one key for a reason of the queue, or own words. */
export function SkipDialog({ reasons, onSkip, onClose }: SkipDialogProps) {
  const [words, setWords] = useState('')
  const skip = (reason: string) => {
    onSkip(reason)
    onClose()
  }
  return (
    <Dialog
      onClose={onClose}
      title="Skip, because…"
      onKeyDown={(event) => {
        const place = digitIndex(event.nativeEvent)
        const reason = place === null || words !== '' ? undefined : reasons[place]
        if (reason === undefined) return
        event.preventDefault()
        skip(reason)
      }}
    >
      <ul className="stack">
        {reasons.map((reason, place) => (
          <li key={reason}>
            <button type="button" className="class" onClick={() => skip(reason)}>
              <kbd>{place < 9 ? place + 1 : '·'}</kbd> {reason}
            </button>
          </li>
        ))}
      </ul>
      <Form className="row wrap" refusal={words.trim() === '' ? 'Choose a reason above, or write one.' : null} onSend={() => skip(words.trim())}>
        <input
          className="field grow"
          aria-label="Another reason"
          placeholder="Another reason"
          maxLength={200}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <button type="submit" className="button">
          Skip
        </button>
        <FormFault />
      </Form>
    </Dialog>
  )
}
