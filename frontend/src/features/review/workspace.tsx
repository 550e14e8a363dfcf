import { useRef, useState } from 'react'

import type { LabelValue, Queue } from '../../shared/api/types'
import { CommentsPanel } from '../../shared/comments/panel'
import type { CommentsOfTask } from '../../shared/comments/use-task-comments'
import { KeyCap } from '../../shared/keys/key-cap'
import type { ActionOf } from '../../shared/keys/keymap'
import { showKeys } from '../../shared/keys/present'
import { useActions, useKeys } from '../../shared/keys/use-keys'
import { classAt } from '../../shared/classes/class-key'
import { GuidelinePanel } from '../../shared/classes/guideline-panel'
import { Chip } from '../../shared/ui/chip'
import { taskTypeOf } from '../../tasktypes'
import { AnswersPanel } from './answers-panel'
import { ClassButtons } from './class-buttons'
import { DecidePanel } from './decide-panel'
import { DecidedPanel } from './decided-panel'
import { digitsMean } from './kind'
import { layersOf, startOf } from './layers'
import { agreedOf, isShapes, optionsOf } from './options'
import { reasonMeans, reasonTones, reasonWords } from './reasons'
import { RejectDialog } from './reject-dialog'
import { Stage } from './stage'
import type { Review } from './types'
import { draftOf, type Drafts, toggled } from './use-draft'
import type { ReviewSession } from './use-review-session'

interface WorkspaceProps {
  queue: Queue
  session: ReviewSession
  review: Review
  comments: CommentsOfTask
  drafts: Drafts
}

export function Workspace({ queue, session, review, comments, drafts }: WorkspaceProps) {
  const [reason, setReason] = useState('')
  const [dialog, setDialog] = useState<'reject' | null>(null)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set(['model']))
  const [show, setShow] = useState({ names: true, guideline: true })
  const reasonField = useRef<HTMLInputElement>(null)
  const { classes } = queue.schema
  const options = optionsOf(review)
  const layers = layersOf(review, options)
  const { answer: kind, nothing } = taskTypeOf(queue.task)
  const open = !session.isDecided(review)
  const draft = draftOf(review, classes, open ? drafts.of(review.id) : { begun: null, keep: () => undefined })
  // Where one person was asked, agreeing with them is what the consensus is elsewhere. A tie leaves nothing to agree with.
  const best = agreedOf(review)?.value ?? (review.answers.length === 1 ? (review.answers[0]?.value ?? null) : null)

  const decide = (value: LabelValue, said: string) => {
    draft.drop()
    session.decide(value, said)
  }
  const take = (value: LabelValue | null) => {
    if (open && value !== null) decide(value, reason)
  }
  const toggle = (id: string) => setHidden(toggled(hidden, id))
  const correct = () => {
    if (kind === 'shapes') draft.editShapes(startOf(layers, hidden))
    else if (kind === 'classes') draft.tick(best !== null && 'classes' in best ? best.classes : [])
  }
  const choose = (place: number): boolean => {
    const named = classAt(classes, place)?.name
    const layer = layers.find(({ key }) => key === String(place + 1))
    if (draft.value !== null) draft.choose(named)
    else if (kind === 'class') take(named === undefined ? null : { class: named })
    else if (kind === 'classes' || place >= 10) take(review.answers[place % 10]?.value ?? null)
    else if (layer) toggle(layer.id)
    return true
  }
  const does: Partial<Record<ActionOf<'review'>, () => void>> = {
    undo: session.undo,
    back: () => session.move(-1),
    forward: () => session.move(1),
    consensus: () => toggle('consensus'),
    suggestion: () => toggle('model'),
    hide: () => setHidden(hidden.size < layers.length ? new Set(layers.map(({ id }) => id)) : new Set()),
    names: () => setShow({ ...show, names: !show.names }),
    comments: comments.write,
    guideline: () => setShow({ ...show, guideline: !show.guideline }),
    ...(open && {
      accept: () => take(draft.value ?? best),
      edit: correct,
      reject: () => setDialog('reject'),
      reason: () => reasonField.current?.focus(),
    }),
  }
  // While something is corrected, its keys come first.
  useKeys((event) => draft.value !== null && draft.act(event))
  useActions('review', {
    choose,
    digits: digitsMean[kind],
    act: (action) => {
      does[action]?.()
      return action in does
    },
  })

  return (
    <div className="review-body">
      <Stage review={review} layers={layers.filter(({ id }) => !hidden.has(id))} names={show.names} editing={draft.shapes} onEdit={draft.setShapes} comments={comments} />
      <div className="review-side">
        <Why review={review} />
        {!open && <DecidedPanel review={review} onItsWay={session.onItsWay} onReopen={session.reopenShown} />}
        {draft.value === null && (
          <AnswersPanel review={review} options={options} classes={classes} layers={layers} hidden={hidden} open={open} onToggle={toggle} onTake={take} />
        )}
        {open && (kind === 'class' || draft.value !== null) && (
          <ClassButtons
            title={draft.value === null ? 'Another class' : kind === 'shapes' ? 'Class of the shape' : 'Classes'}
            classes={classes}
            ticked={draft.ticked}
            onChoose={(name) => (draft.value === null ? take({ class: name }) : draft.choose(name))}
          />
        )}
        {open && (
          <DecidePanel
            reasonField={reasonField}
            reason={reason}
            onReason={setReason}
            corrected={draft.value}
            best={best}
            merged={review.consensus !== null}
            tied={review.consensus?.tied ?? false}
            onTake={take}
            onCorrect={kind === 'class' ? null : correct}
            onRemove={draft.remove}
            onDrop={draft.drop}
            onReject={() => setDialog('reject')}
          />
        )}
        <CommentsPanel of={comments} keyCap={<KeyCap scope="review" action="comments" />} />
        {show.guideline && <GuidelinePanel schema={queue.schema} open={namedIn(options.map(({ value }) => value))} />}
        <Moves session={session} />
      </div>
      {dialog === 'reject' && (
        <RejectDialog
          sample={review.sample.key}
          classes={kind === 'class' ? classes : null}
          nothing={nothing}
          onReject={decide}
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

function Why({ review: { reason, note } }: { review: Review }) {
  return (
    <div className="stack">
      <p className="row wrap">
        <Chip tone={reasonTones[reason]}>{reasonWords[reason]}</Chip>
        <span className="quiet">{reasonMeans[reason]}</span>
      </p>
      {note !== '' && <p>“{note}”</p>}
    </div>
  )
}

function Moves({ session }: { session: ReviewSession }) {
  return (
    <div className="row review-moves">
      <button type="button" className="button little" onClick={() => session.move(-1)}>
        <KeyCap scope="review" action="back" /> Previous
      </button>
      <button type="button" className="button little" onClick={() => session.move(1)}>
        Next <KeyCap scope="review" action="forward" />
      </button>
      <button type="button" className="button little" onClick={session.undo}>
        Undo <KeyCap scope="review" action="undo" />
      </button>
      <span className="grow" />
      <button type="button" className="button little keys-only" onClick={() => showKeys()}>
        <KeyCap scope="global" action="help" /> Keys
      </button>
    </div>
  )
}
