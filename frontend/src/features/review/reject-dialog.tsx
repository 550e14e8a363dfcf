import { useState } from 'react'

import { Dialog } from '../../shared/ui/dialog'

const usual = ['The image shows none of the classes', 'The image is unusable', 'It cannot be decided from this image'] as const

interface RejectDialogProps {
  sample: string
  onReject: (reason: string) => void
  onClose: () => void
}

/** No answer is right and no class fits: the sample stays without a label, with a reason that others can read. */
export function RejectDialog({ sample, onReject, onClose }: RejectDialogProps) {
  const [reason, setReason] = useState('')
  const said = reason.trim()
  return (
    <Dialog open onClose={onClose} title={`Leave ${sample} without a label`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (said !== '') onReject(said)
        }}
      >
        <label htmlFor="reject-reason">Why is no answer right?</label>
        <input
          id="reject-reason"
          className="field"
          required
          maxLength={200}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <div className="row wrap">
          {usual.map((each) => (
            <button key={each} type="button" className="button little" onClick={() => onReject(each)}>
              {each}
            </button>
          ))}
        </div>
        <div className="row">
          <button type="submit" className="button primary" disabled={said === ''}>
            Reject all answers
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
