import { type KeyboardEvent, useRef, useState } from 'react'

import type { LabelValue } from '../../shared/api/types'
import { classAt } from '../../shared/classes/class-key'
import type { SchemaClass } from '../../shared/classes/types'
import { digitIndex } from '../../shared/keys/keyboard'
import { Dialog } from '../../shared/ui/dialog'
import { Field } from '../../shared/ui/fields'
import { ClassButtons } from './class-buttons'

const usual = ['The guideline was misread', 'Too quick', 'The model’s suggestion was copied', 'The guideline does not cover it'] as const

interface RejectDialogProps {
  sample: string
  /** The classes that can be right instead; null where the answer is more than one class. */
  classes: readonly SchemaClass[] | null
  /** What says that none of the classes is there; null where there is no such answer. */
  nothing: LabelValue | null
  onReject: (value: LabelValue, reason: string) => void
  onClose: () => void
}

/** No answer is right: what is, and why the others were not, for those who gave them to read. */
export function RejectDialog({ sample, classes, nothing, onReject, onClose }: RejectDialogProps) {
  const [reason, setReason] = useState('')
  const [missing, setMissing] = useState(false)
  const reject = (value: LabelValue) => {
    if (reason.trim() === '') setMissing(true)
    else onReject(value, reason)
  }
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const inField = event.target instanceof HTMLInputElement
    if (inField && event.key === 'Enter') {
      event.preventDefault()
      if (nothing) reject(nothing)
      // Which class is right has to be said, by its key or by mouse.
      else list.current?.querySelector('button')?.focus()
    }
    const place = inField ? null : digitIndex(event.nativeEvent)
    const right = place === null || !classes ? undefined : classAt(classes, place)
    if (right) {
      event.preventDefault()
      reject({ class: right.name })
    }
  }
  return (
    <Dialog onClose={onClose} title={`No answer to ${sample} is right`} onKeyDown={onKeyDown}>
      <div className="stack wide-gap">
        <div className="stack">
          <Field label="Why not?" fault={missing ? 'Give a reason first: the annotators see it.' : null}>
            {(joined) => (
              <input
                {...joined}
                className="field"
                maxLength={200}
                value={reason}
                onChange={({ target }) => {
                  setReason(target.value)
                  setMissing(false)
                }}
              />
            )}
          </Field>
          <div className="row wrap">
            {usual.map((each) => (
              <button key={each} type="button" className="button little" aria-pressed={reason === each} onClick={() => setReason(each)}>
                {each}
              </button>
            ))}
          </div>
        </div>
        {classes && (
          <div ref={list}>
            <ClassButtons title="Correct class" classes={classes} ticked={null} onChoose={(name) => reject({ class: name })} />
          </div>
        )}
        <div className="row">
          {nothing && (
            <button type="button" className="button primary" onClick={() => reject(nothing)}>
              None of the classes
            </button>
          )}
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </div>
    </Dialog>
  )
}
