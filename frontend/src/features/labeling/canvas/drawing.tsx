import { type ReactNode, useState } from 'react'

import type { Queue } from '../../../shared/api/types'
import type { CommentsOfTask } from '../../../shared/comments/use-task-comments'
import { KeyCap } from '../../../shared/keys/key-cap'
import type { ActionOf } from '../../../shared/keys/keymap'
import type { DigitsMean } from '../../../shared/keys/present'
import { useActions } from '../../../shared/keys/use-keys'
import { Chip } from '../../../shared/ui/chip'
import { later } from '../../../shared/ui/later'
import type { LabelSession, LabelSessionState } from '../label-session'
import { isAnswered, type AnsweredTask, type LeasedTask } from '../leased-task'
import { Guidelines } from '../guidelines'
import { LeaseClock } from '../lease-clock'
import { SaveLine } from '../save-line'
import { Strip } from '../strip'
import { WhyPanel } from '../why-panel'
import { useAcceptFrom } from './accept-all'
import { adjusted, plainAdjust } from './adjust'
import { actOnSession } from './act-on-session'
import { actOnShapes } from './commands'
import type { Editor } from './core/editor'
import { OrderOffer } from './drawing-order'
import { SidePanel } from './side-panel'
import { CanvasStage } from './stage'
import { Spoken, SpokenCrosshair } from './spoken'
import { backToDrawing, Toolbar } from './toolbar'
import { useClasses } from './use-classes'
import { useDocument } from './use-editor'
import { skipImage, useSubmit } from './use-submit'
import type { Questions } from './verify/questions'

/** It has forms of its own, which the drawing does without. */
export const CommentsPanel = later(async () => (await import('../../../shared/comments/panel')).CommentsPanel)

type Act = ActionOf<'canvas'>
export type DialogName = 'skipReason' | 'flag'

/** Beside what digits do, what Shift does with the mouse: it is no key, and can't be set. */
const digits: DigitsMean = [
  ['1–9  0  ⇧1–0', 'The class with that key, for the selected shapes, the shape just drawn, or the next one'],
  ['⇧ click', 'Add a shape to the selection, or take it away'],
  ['⇧ drag', 'Select every shape whose line the rectangle touches'],
]

interface DrawingProps {
  queue: Queue
  session: LabelSession
  state: LabelSessionState
  leasedTask: LeasedTask | AnsweredTask
  editor: Editor
  comments: CommentsOfTask
  /** The image was verified before, and something was missing. */
  questions?: Questions
  onDialog: (name: DialogName) => void
}

/** One image with its shapes, and everything that can be done to them. */
export function Drawing({ queue, session, state, leasedTask, editor, comments, questions, onDialog }: DrawingProps) {
  const shapes = useDocument(editor)
  const [adjust, setAdjust] = useState(plainAdjust)
  const [panels, setPanels] = useState({ why: true, guideline: false })
  const [acceptFrom, setAcceptFrom] = useAcceptFrom(queue)
  const { submit, asks } = useSubmit(session, leasedTask, editor, questions)
  const { keys, marks } = useClasses(queue)
  const flag = session.flagOf(leasedTask)

  const act = (action: Act): boolean => {
    const looks = adjusted(adjust, action)
    if (looks) setAdjust(looks)
    else if (action === 'skipReason' || action === 'flag') onDialog(action)
    else if (action === 'why' || action === 'guideline') setPanels({ ...panels, [action]: !panels[action] })
    else if (action === 'submit') submit()
    else if (action === 'comments') comments.write()
    else if (action === 'skip') skipImage(session, leasedTask)
    else if (action === 'accept') editor.accept(queue.accept_threshold ?? 0)
    else if (action === 'acceptAll') return editor.acceptFrom(acceptFrom) > 0
    else if (action === 'undo' && questions && !editor.canUndo && !editor.snapshot().draft) questions.back()
    else return actOnShapes(action, editor) || actOnSession(action, session)
    return true
  }
  const choose = (place: number): boolean => {
    const name = keys.at(place)
    if (name !== undefined) editor.choose(name)
    return name !== undefined
  }
  useActions('canvas', { act, choose, digits })

  return (
    <>
      <Toolbar state={shapes} adjust={adjust} onAdjust={setAdjust} onAct={act} />
      {asks !== null && (
        <p className="notice" role="alert">
          {asks}
        </p>
      )}
      {shapes.refusal !== null && (
        <p className="notice" role="alert">
          {shapes.refusal}
        </p>
      )}
      {shapes.canUndo && shapes.shapes.some(({ score, suggested }) => score === null && suggested !== true) && <OrderOffer />}
      <div className="workspace-body">
        <CanvasStage task={leasedTask.task} editor={editor} marks={marks} adjust={adjust} onAdjust={setAdjust} comments={comments} />
        <div className="side">
          {flag && (
            <p className="row">
              <Chip tone="warn">Flagged</Chip> <span className="cut">{flag.note}</span>
            </p>
          )}
          {isAnswered(leasedTask) && <p className="small">You answered this image before. Change it and submit to correct it.</p>}
          <SidePanel queue={queue} editor={editor} state={shapes} keys={keys} marks={marks} acceptFrom={acceptFrom} onAcceptFrom={setAcceptFrom} onAct={act} />
          <CommentsPanel of={comments} keyCap={<KeyCap scope="canvas" action="comments" />} />
          {panels.guideline && <Guidelines schema={queue.schema} />}
          {panels.why && <WhyPanel why={leasedTask.task.why} />}
        </div>
      </div>
      <Foot session={session} state={state} queue={queue}>
        <LeaseClock leasedTask={leasedTask} answered={isAnswered(leasedTask)} />
        <button type="button" className="button" onClick={() => skipImage(session, leasedTask)}>
          Skip <KeyCap scope="canvas" action="skip" />
        </button>
        <button
          type="button"
          className="button primary"
          onClick={(event) => {
            submit()
            backToDrawing(event)
          }}
        >
          Submit <KeyCap scope="canvas" action="submit" />
        </button>
      </Foot>
      <Spoken editor={editor} state={shapes} />
      <SpokenCrosshair editor={editor} />
    </>
  )
}

/** The foot of the page while no image is there: what was said can still be taken back and looked at. */
export function NoDrawing({ queue, session, state, closed }: Pick<DrawingProps, 'queue' | 'session' | 'state'> & { closed: boolean }) {
  // What is committed is taken back by a new version, not by undo.
  const act = (action: Act): boolean => !closed && actOnSession(action, session)
  useActions('canvas', { act, choose: () => false })
  return closed ? null : <Foot session={session} state={state} queue={queue} />
}

export function Foot({ session, state, queue, children }: { session: LabelSession; state: LabelSessionState; queue: Queue; children?: ReactNode }) {
  return (
    <footer className="workspace-foot">
      <Strip session={session} state={state} queue={queue} />
      <span className="grow" />
      {children}
      <SaveLine />
    </footer>
  )
}
