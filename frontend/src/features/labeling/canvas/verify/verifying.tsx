import './verify.css'

import { type ReactNode, useState, useSyncExternalStore } from 'react'

import type { Queue } from '../../../../shared/api/types'
import type { CommentsOfTask } from '../../../../shared/comments/use-task-comments'
import { KeyCap } from '../../../../shared/keys/key-cap'
import type { ActionOf } from '../../../../shared/keys/keymap'
import type { DigitsMean } from '../../../../shared/keys/present'
import { useActions } from '../../../../shared/keys/use-keys'
import { Chip } from '../../../../shared/ui/chip'
import { Guidelines } from '../../guidelines'
import type { LabelSession, LabelSessionState } from '../../label-session'
import { LeaseClock } from '../../lease-clock'
import type { LeasedTask } from '../../leased-task'
import { WhyPanel } from '../../why-panel'
import { ActButton } from '../act-button'
import { actOnSession } from '../act-on-session'
import { adjusted, plainAdjust } from '../adjust'
import { actOnShapes } from '../commands'
import { ClassBar } from '../class-bar'
import type { Editor } from '../core/editor'
import { CommentsPanel, type DialogName, Foot } from '../drawing'
import type { Marks } from '../paint/marks'
import { CanvasStage } from '../stage'
import { useClasses } from '../use-classes'
import { useDocument } from '../use-editor'
import { skipImage, useSubmit } from '../use-submit'
import type { Asked, Questions } from './questions'

type Act = ActionOf<'verify'>

const digits: DigitsMean = [['1–9  0  ⇧1–0', 'Wrong class: the class with that key is right']]

interface VerifyingProps {
  queue: Queue
  session: LabelSession
  state: LabelSessionState
  leasedTask: LeasedTask
  editor: Editor
  comments: CommentsOfTask
  questions: Questions
  onDialog: (name: DialogName) => void
}

/** One image, question by question: is this shape right, and is one missing? */
export function Verifying({ queue, session, state, leasedTask, editor, comments, questions, onDialog }: VerifyingProps) {
  const asked = useSyncExternalStore(questions.subscribe, questions.snapshot)
  useDocument(editor)
  const [adjust, setAdjust] = useState(plainAdjust)
  const [panels, setPanels] = useState({ why: false, guideline: false })
  const { submit } = useSubmit(session, leasedTask, editor, questions)
  const { keys, marks } = useClasses(queue)
  const flag = session.flagOf(leasedTask)

  const act = (action: Act): boolean => {
    const looks = adjusted(adjust, action)
    if (looks) setAdjust(looks)
    else if (action === 'skipReason' || action === 'flag') onDialog(action)
    else if (action === 'why' || action === 'guideline') setPanels({ ...panels, [action]: !panels[action] })
    else if (action === 'comments') comments.write()
    else if (action === 'skip') skipImage(session, leasedTask)
    else if (action === 'yes') questions.yes()
    else if (action === 'no') {
      if (questions.no()) submit()
    } else if (action === 'move') return questions.adjust()
    else if (action === 'confirm') return confirm(questions)
    else if (action === 'cancel') return questions.cancel()
    else if (action === 'undo') return questions.back() || actOnSession(action, session)
    else if (action === 'back' || action === 'forward') return actOnSession(action, session)
    else return movesShape(action) && !asked.adjusting ? false : actOnShapes(action, editor)
    return true
  }
  const choose = (place: number): boolean => {
    const name = keys.at(place)
    return name !== undefined && questions.choose(name)
  }
  useActions('verify', { act, choose, digits })
  const shape = questions.shape()
  return (
    <>
      <div className="workspace-body verify-body">
        <CanvasStage task={leasedTask.task} editor={editor} marks={marks} adjust={adjust} onAdjust={setAdjust} comments={comments} />
        <div className="side">
          <Question questions={questions} asked={asked} marks={marks} onAct={act} />
          {shape && <ClassBar keys={keys} marks={marks} current={shape.class} title="Wrong class? Choose the right one" onChoose={(name) => questions.choose(name)} />}
          {flag && (
            <p className="row">
              <Chip tone="warn">Flagged</Chip> <span className="cut">{flag.note}</span>
            </p>
          )}
          <CommentsPanel of={comments} keyCap={<KeyCap scope="verify" action="comments" />} />
          {panels.guideline && <Guidelines schema={queue.schema} />}
          {panels.why && <WhyPanel why={leasedTask.task.why} />}
        </div>
      </div>
      <Foot session={session} state={state} queue={queue}>
        <LeaseClock leasedTask={leasedTask} answered={false} />
        <button type="button" className="button" onClick={() => skipImage(session, leasedTask)}>
          Skip <KeyCap scope="verify" action="skip" />
        </button>
      </Foot>
    </>
  )
}

function confirm(questions: Questions): boolean {
  if (!questions.snapshot().adjusting) return false
  questions.yes()
  return true
}

/** Only the shape that is being adjusted may be moved by keys. */
function movesShape(action: string): boolean {
  return action.startsWith('nudge') || ['narrower', 'wider', 'lower', 'higher'].includes(action)
}

interface QuestionProps {
  questions: Questions
  asked: Asked
  marks: Marks
  onAct: (action: Act) => void
}

function Question({ questions, asked, marks, onAct }: QuestionProps) {
  const shape = questions.shape()
  const what = shape?.kind === 'polygon' ? 'polygon' : 'box'
  const answers = (...buttons: [Act, string][]) => buttons.map(([action, words], place) => <ActButton key={action} scope="verify" action={action} words={words} className={`verify-answer ${place === 0 && shape !== null ? 'primary' : ''}`} onAct={onAct} />)
  return (
    <section className="verify-question stack" aria-labelledby="verify-asks">
      <p className="quiet small">{placeWords(questions, asked)}</p>
      <div role="status">
        <h2 id="verify-asks">
          {shape ? (
            <>
              {asked.adjusting ? 'Adjust this ' : 'Is this '}
              <span className="verify-class" style={{ borderColor: marks.of(shape.class).colour }}>{shape.class}</span> {what}
              {asked.adjusting ? '' : ' right?'}
            </>
          ) : questions.total === 0 ? (
            'Is there an object?'
          ) : (
            'Is one missing?'
          )}
        </h2>
      </div>
      <div className="verify-answers">
        {shape && !asked.adjusting && answers(['yes', 'Yes'], ['no', 'No, nothing here'], ['move', 'Moved'])}
        {shape && asked.adjusting && answers(['confirm', 'Confirm'], ['cancel', 'Cancel'])}
        {!shape && answers(['yes', 'Yes, draw it'], ['no', questions.total === 0 ? 'No, there is none' : 'No, all are there'])}
      </div>
      <div className="row wrap">
        <ActButton scope="verify" action="undo" words="Back" onAct={onAct} />
        {shape && <ActButton scope="verify" action="zoom" words="Whole image" onAct={onAct} />}
        {asked.adjusting && <span className="quiet small">Drag its sides or corners, or use the arrows.</span>}
      </div>
    </section>
  )
}

function placeWords({ total }: Questions, { step, place }: Asked): ReactNode {
  if (total === 0) return 'Nothing is suggested for this image.'
  return step === 'shape' ? `${place + 1} of ${total} suggested` : `All ${total} suggested are checked.`
}
