import { useRef, useState } from 'react'

import type { LabelValue, Queue } from '../../shared/api/types'
import type { ActionOf } from '../../shared/keys/keymap'
import { useActions, useKeys } from '../../shared/keys/use-keys'
import { classAt } from '../../shared/schema/class-key'
import { GuidelinePanel } from '../../shared/schema/guideline-panel'
import { Chip } from '../../shared/ui/chip'
import { AnswersPanel } from './answers-panel'
import { ClassButtons } from './class-buttons'
import { DecidedPanel } from './decided-panel'
import { type DigitsMean, KeysDialog } from './keys-dialog'
import { layersOf, startOf } from './layers'
import { isShapes, optionsOf, valueWords } from './options'
import { reasonMeans, reasonTones, reasonWords } from './reasons'
import { RejectDialog } from './reject-dialog'
import { Stage } from './stage'
import type { Review } from './types'
import { toggled, useDraft } from './use-draft'
import type { ReviewDesk } from './use-review-desk'

interface WorkspaceProps {
  queue: Queue
  desk: ReviewDesk
  review: Review
  mayDecide: boolean
}

type Act = ActionOf<'review'> | ActionOf<'global'>

const digitsMean: Record<'class' | 'classes' | 'shapes', DigitsMean> = {
  class: [['1–9  0  ⇧1–0', 'Decide for the class with that key']],
  classes: [['1–9', 'Take that answer; while you correct, tick the class with that key']],
  shapes: [['1–9', 'Show or hide that person’s shapes; while you correct, the class with that key'], ['⇧1–9', 'Take that answer']],
}

export function Workspace({ queue, desk, review, mayDecide }: WorkspaceProps) {
  const [reason, setReason] = useState('')
  const [dialog, setDialog] = useState<'reject' | 'keys' | null>(null)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set(['model']))
  const [names, setNames] = useState(true)
  const [guideline, setGuideline] = useState(true)
  const reasonField = useRef<HTMLInputElement>(null)
  const { classes } = queue.schema
  const options = optionsOf(review)
  const layers = layersOf(review, options)
  const kind = queue.task === 'detection' ? 'shapes' : queue.schema.multi_label ? 'classes' : 'class'
  const draft = useDraft(review, classes)
  const open = mayDecide && !desk.isDecided(review)
  const best = review.consensus?.value ?? (options.length === 1 ? options[0]?.value : undefined) ?? null

  const take = (value: LabelValue | null) => open && desk.decide(value, reason)
  const toggle = (id: string) => setHidden(toggled(hidden, id))
  const edit = () => {
    if (kind === 'shapes') draft.editShapes(startOf(layers, hidden))
    else if (kind === 'classes') draft.tick(best !== null && 'classes' in best ? best.classes : [])
  }
  const choose = (place: number): boolean => {
    const named = classAt(classes, place)?.name
    if (draft.value !== null) {
      if (named !== undefined) draft.choose(named)
    } else if (kind === 'class') {
      if (named !== undefined) take({ class: named })
    } else if (kind === 'shapes' && place < 10) {
      const layer = layers.find(({ key }) => key === String(place + 1))
      if (layer) toggle(layer.id)
    } else {
      const option = options.filter(({ answers }) => answers.length > 0)[place % 10]
      if (option) take(option.value)
    }
    return true
  }
  const switches: Partial<Record<Act, () => void>> = {
    help: () => setDialog('keys'),
    undo: desk.undo,
    back: () => desk.move(-1),
    forward: () => desk.move(1),
    consensus: () => toggle('consensus'),
    suggestion: () => toggle('model'),
    hide: () => setHidden(hidden.size < layers.length ? new Set(layers.map(({ id }) => id)) : new Set()),
    names: () => setNames(!names),
    guideline: () => setGuideline(!guideline),
    ...(open && {
      accept: () => (draft.value ? take(draft.value) : best !== null && take(best)),
      edit,
      reject: () => setDialog('reject'),
      reason: () => reasonField.current?.focus(),
    }),
  }
  // While something is corrected, its keys come first.
  useKeys((event) => draft.value !== null && draft.act(event))
  useActions('review', {
    choose,
    act: (action) => {
      const does = switches[action]
      does?.()
      return does !== undefined
    },
  })

  return (
    <div className="review-body">
      <Stage review={review} layers={layers.filter(({ id }) => !hidden.has(id))} names={names} editing={draft.shapes} onEdit={draft.setShapes} />
      <div className="review-side">
        <p className="row wrap">
          <Chip tone={reasonTones[review.reason]}>{reasonWords[review.reason]}</Chip>
          <span className="quiet">{reasonMeans[review.reason]}</span>
        </p>
        {!open && desk.isDecided(review) && (
          <DecidedPanel review={review} onItsWay={desk.onItsWay} mayReopen={mayDecide} onReopen={desk.reopenShown} />
        )}
        {!mayDecide && <p className="quiet">Reviewers and owners decide; you can look.</p>}
        {draft.value === null && (
          <AnswersPanel review={review} options={options} classes={classes} layers={layers} hidden={hidden} open={open} onToggle={toggle} onTake={({ value }) => take(value)} />
        )}
        {open && (kind === 'class' || draft.value !== null) && (
          <ClassButtons
            title={draft.value === null ? 'Another class' : draft.shapes ? 'Class of the box' : 'Classes'}
            classes={classes}
            ticked={draft.ticked}
            onChoose={(name) => (draft.value === null ? take({ class: name }) : draft.choose(name))}
          />
        )}
        {open && (
          <div className="stack">
            <input
              ref={reasonField}
              className="field"
              aria-label="Reason"
              placeholder="Reason, kept with the decision (R)"
              maxLength={200}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
              onKeyDown={({ key, currentTarget }) => {
                if (key === 'Enter' || key === 'Escape') currentTarget.blur()
              }}
            />
            <div className="row wrap">
              {draft.value !== null && (
                <>
                  <button type="button" className="button primary" onClick={() => take(draft.value)}>
                    Decide as corrected <kbd>A</kbd>
                  </button>
                  <button type="button" className="button" onClick={draft.drop}>
                    Stop correcting <kbd>Esc</kbd>
                  </button>
                </>
              )}
              {draft.value === null && best !== null && (
                <button type="button" className="button primary" onClick={() => take(best)}>
                  {review.consensus ? 'Take the consensus' : 'Agree'}: {valueWords(best)} <kbd>A</kbd>
                </button>
              )}
              {draft.value === null && kind !== 'class' && (
                <button type="button" className="button" onClick={edit}>
                  Correct <kbd>E</kbd>
                </button>
              )}
              {draft.value === null && (
                <button type="button" className="button" onClick={() => setDialog('reject')}>
                  Reject <kbd>X</kbd>
                </button>
              )}
            </div>
          </div>
        )}
        {guideline && <GuidelinePanel schema={queue.schema} open={namedIn(options.map(({ value }) => value))} />}
        <div className="row review-moves">
          <button type="button" className="button little" onClick={() => desk.move(-1)}>
            <kbd>←</kbd> Before
          </button>
          <button type="button" className="button little" onClick={() => desk.move(1)}>
            Later <kbd>→</kbd>
          </button>
          <button type="button" className="button little" onClick={desk.undo}>
            Undo <kbd>⌫</kbd>
          </button>
          <span className="grow" />
          <button type="button" className="button little" onClick={() => setDialog('keys')}>
            <kbd>?</kbd> Keys
          </button>
        </div>
      </div>
      {dialog === 'keys' && <KeysDialog digits={digitsMean[kind]} onClose={() => setDialog(null)} />}
      {dialog === 'reject' && (
        <RejectDialog
          sample={review.sample.key}
          onReject={(said) => desk.decide(null, said)}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  )
}

/** The classes that are said somewhere, whose guidelines stand open. */
function namedIn(values: (LabelValue | null)[]): string[] {
  return values.flatMap((value) => (value === null || isShapes(value) ? [] : 'class' in value ? [value.class] : value.classes))
}
