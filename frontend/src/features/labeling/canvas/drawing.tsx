import { type ReactNode, useEffect, useMemo, useState } from 'react'

import type { LabelClass, Queue } from '../../../shared/api/types'
import { KeyCap } from '../../../shared/keys/key-cap'
import type { ActionOf } from '../../../shared/keys/keymap'
import { useActions } from '../../../shared/keys/use-keys'
import { Chip } from '../../../shared/ui/chip'
import { ClassKeys } from '../class-keys'
import type { LabelSession, LabelSessionState } from '../label-session'
import { isAnswered, type AnsweredTask, placeOf, type LeasedTask } from '../leased-task'
import { Guidelines } from '../guidelines'
import { LeaseClock } from '../lease-clock'
import { offeredClasses } from '../queue-kind'
import { SaveLine } from '../save-line'
import { Strip } from '../strip'
import { WhyPanel } from '../why-panel'
import { useAcceptFrom } from './accept-all'
import { adjusted, plainAdjust } from './adjust'
import { actOnShapes } from './commands'
import type { Editor } from './core/editor'
import type { EditorPreferences } from './core/editor-preferences'
import { keepShapes } from './draft-store'
import { Marks } from './paint/marks'
import { SidePanel } from './side-panel'
import { CanvasStage } from './stage'
import { Spoken } from './spoken'
import { backToDrawing, Toolbar } from './toolbar'
import { useDocument, useEditor } from './use-editor'
import { skipImage, takeBack, useSubmit } from './use-submit'

type Act = ActionOf<'canvas'>
export type DialogName = 'skipReason' | 'flag'

interface DrawingProps {
  queue: Queue
  session: LabelSession
  state: LabelSessionState
  leasedTask: LeasedTask | AnsweredTask
  preferences: EditorPreferences
  onDialog: (name: DialogName) => void
}

/** One image with its shapes, and everything that can be done to them. */
export function Drawing({ queue, session, state, leasedTask, preferences, onDialog }: DrawingProps) {
  const editor = useEditor(leasedTask, preferences)
  const shapes = useDocument(editor)
  const [adjust, setAdjust] = useState(plainAdjust)
  const [panels, setPanels] = useState({ why: true, guideline: false })
  const [acceptFrom, setAcceptFrom] = useAcceptFrom(queue)
  const { submit, asks } = useSubmit(session, leasedTask, editor)
  const { keys, marks } = useClasses(queue)
  const flag = session.flagOf(leasedTask)
  useKept(placeOf(leasedTask), editor)

  const act = (action: Act): boolean => {
    const looks = adjusted(adjust, action)
    if (looks) setAdjust(looks)
    else if (action === 'skipReason' || action === 'flag') onDialog(action)
    else if (action === 'why' || action === 'guideline') setPanels({ ...panels, [action]: !panels[action] })
    else if (action === 'submit') submit()
    else if (action === 'skip') skipImage(session, leasedTask)
    else if (action === 'acceptAll') return acceptFrom !== null && editor.acceptFrom(acceptFrom) > 0
    else return actOnShapes(action, editor) || actOnSession(action, session)
    return true
  }
  const choose = (place: number): boolean => {
    const name = keys.at(place)
    if (name !== undefined) editor.choose(name)
    return name !== undefined
  }
  useActions('canvas', { act, choose })

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
      <div className="workspace-body">
        <CanvasStage task={leasedTask.task} editor={editor} marks={marks} adjust={adjust} onAdjust={setAdjust} />
        <div className="side">
          {flag && (
            <p className="row">
              <Chip tone="warn">Flagged</Chip> <span className="cut">{flag.note}</span>
            </p>
          )}
          {isAnswered(leasedTask) && <p className="small">You answered this image before. Change it and submit to correct it.</p>}
          <SidePanel queue={queue} editor={editor} state={shapes} keys={keys} marks={marks} acceptFrom={acceptFrom} onAcceptFrom={setAcceptFrom} />
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

function Foot({ session, state, queue, children }: { session: LabelSession; state: LabelSessionState; queue: Queue; children?: ReactNode }) {
  return (
    <footer className="workspace-foot">
      <Strip session={session} state={state} queue={queue} />
      <span className="grow" />
      {children}
      <SaveLine />
    </footer>
  )
}

function actOnSession(action: Act, session: LabelSession): boolean {
  if (action === 'undo') takeBack(session)
  else if (action === 'back') session.look(1)
  else if (action === 'forward') session.look(-1)
  else return false
  return true
}

function useClasses(queue: Queue): { keys: ClassKeys; marks: Marks } {
  // The queue is asked for again and again; its classes rarely change.
  const known = JSON.stringify({ all: queue.schema.classes, offered: offeredClasses(queue) })
  return useMemo(() => {
    const { all, offered } = JSON.parse(known) as { all: LabelClass[]; offered: LabelClass[] }
    return { keys: new ClassKeys(offered), marks: new Marks(all) }
  }, [known])
}

/** Keeps what is drawn on this computer, and ends an arrow key's entry in the history with the key. */
function useKept(place: string, editor: Editor): void {
  useEffect(() => keepShapes(place, editor), [place, editor])
  useEffect(() => {
    const onUp = (event: KeyboardEvent) => {
      if (event.key.startsWith('Arrow')) editor.endGesture()
    }
    window.addEventListener('keyup', onUp)
    return () => window.removeEventListener('keyup', onUp)
  }, [editor])
}
