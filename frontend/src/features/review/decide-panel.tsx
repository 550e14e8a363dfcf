import type { Ref } from 'react'

import type { LabelValue } from '../../shared/api/types'
import { KeyCap } from '../../shared/keys/key-cap'
import { valueWords } from './options'

interface DecidePanelProps {
  reasonField: Ref<HTMLInputElement>
  reason: string
  onReason: (reason: string) => void
  /** What the reviewer has made instead; null while nobody corrects. */
  corrected: LabelValue | null
  /** The consensus, or the only answer. */
  best: LabelValue | null
  merged: boolean
  /** As many say one as the other. */
  tied: boolean
  onTake: (value: LabelValue | null) => void
  /** Null where a class's key is the correction. */
  onCorrect: (() => void) | null
  /** Null while no shape is selected. */
  onRemove: (() => void) | null
  onDrop: () => void
  onReject: () => void
}

/** The reason, and what can be decided with one press. */
export function DecidePanel(props: DecidePanelProps) {
  const { reasonField, reason, onReason, corrected } = props
  return (
    <section className="stack" aria-label="Decide">
      <div className="row">
        <input
          ref={reasonField}
          className="field grow"
          aria-label="Reason"
          placeholder="Reason, kept with the decision"
          maxLength={200}
          value={reason}
          onChange={({ target }) => onReason(target.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Enter' || key === 'Escape') currentTarget.blur()
          }}
        />
        <span className="keys-only">
          <KeyCap scope="review" action="reason" />
        </span>
      </div>
      <div className="row wrap">{corrected === null ? <Plain {...props} /> : <Corrected {...props} />}</div>
    </section>
  )
}

function Plain({ best, merged, tied, onTake, onCorrect, onReject }: DecidePanelProps) {
  return (
    <>
      {tied && <p className="quiet">The answers are tied: none of them is preferred.</p>}
      {best !== null && (
        <button type="button" className="button primary" onClick={() => onTake(best)}>
          {merged ? 'Accept the consensus' : 'Agree'}: {valueWords(best)} <KeyCap scope="review" action="accept" />
        </button>
      )}
      {onCorrect && (
        <button type="button" className="button" onClick={onCorrect}>
          Correct <KeyCap scope="review" action="edit" />
        </button>
      )}
      <button type="button" className="button" onClick={onReject}>
        Reject <KeyCap scope="review" action="reject" />
      </button>
    </>
  )
}

function Corrected({ corrected, onTake, onRemove, onDrop }: DecidePanelProps) {
  return (
    <>
      <button type="button" className="button primary" onClick={() => onTake(corrected)}>
        Decide as corrected <KeyCap scope="review" action="accept" />
      </button>
      {onRemove && (
        <button type="button" className="button" onClick={onRemove}>
          Delete the shape <kbd>X</kbd>
        </button>
      )}
      <button type="button" className="button" onClick={onDrop}>
        Stop correcting <kbd>Esc</kbd>
      </button>
    </>
  )
}
