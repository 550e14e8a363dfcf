import './thumb.css'

import { useRef, useState, useSyncExternalStore } from 'react'

import type { Queue } from '../../shared/api/types'
import { useTaskComments } from '../../shared/comments/use-task-comments'
import { useKeyMap } from '../../shared/keys/key-store'
import { strokeWords } from '../../shared/keys/keyboard'
import { type ActionOf, strokesFor } from '../../shared/keys/keymap'
import { useActions } from '../../shared/keys/use-keys'
import { LeaveGuard } from '../../shared/ui/leave-guard'
import { AtEnd } from './at-end'
import { Choice } from './choice'
import { ClassKeys } from './class-keys'
import { ClassifySide } from './classify-side'
import type { LabelSession } from './label-session'
import { isAnswered, type LeasedTask } from './leased-task'
import { FlagDialog } from './flag-dialog'
import { LeaseClock } from './lease-clock'
import { Notice } from './notice'
import { NothingNow } from './nothing-now'
import { isComplete } from './progress'
import { isSeveral, offeredClasses } from './queue-kind'
import { SaveLine } from './save-line'
import { SkipDialog } from './skip-dialog'
import { Stage } from './stage'
import { Strip } from './strip'
import { useLabelSession } from './use-label-session'
import { plainView, viewAfter } from './view'
import { WorkspaceHead } from './workspace-head'

type Act = ActionOf<'classify'>
type DialogName = 'skipReason' | 'flag'

export function ClassifyWorkspace({ queue }: { queue: Queue }) {
  const [session, state] = useLabelSession(queue)
  const [choice] = useState(() => new Choice(session, { id: queue.id, classes: queue.classes, several: isSeveral(queue) }))
  useSyncExternalStore(choice.subscribe, choice.snapshot)
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const [panels, setPanels] = useState({ why: true, guideline: false })
  const [view, setView] = useState(plainView)
  const search = useRef<HTMLInputElement>(null)
  const keys = new ClassKeys(offeredClasses(queue))
  const none = strokesFor('classify', 'clear', useKeyMap())[0]
  const closed = queue.state === 'committed'
  const leasedTask = closed ? undefined : session.shown()
  const comments = useTaskComments(leasedTask?.task)

  const submitted = (shown: boolean): boolean => {
    const done = choice.submit()
    if (!done && shown && isSeveral(queue)) session.remark(`Nothing is ticked: tick a class${none === undefined ? '' : `, or press ${strokeWords(none)} for none of them`}.`)
    return done || (shown && isSeveral(queue))
  }
  const act = (action: Act): boolean => {
    // What is committed is taken back by a new version, not by undo.
    if (closed) return false
    if (action === 'skipReason' || action === 'flag') setDialog(leasedTask ? action : null)
    else if (action === 'why' || action === 'guideline') setPanels({ ...panels, [action]: !panels[action] })
    else if (action === 'comments') comments.write()
    else if (action === 'search') search.current?.focus()
    else if (action === 'accept') return submitted(leasedTask !== undefined)
    else if (said(action, choice, session)) return true
    else {
      const after = viewAfter(action, view)
      if (after) setView(after)
      return after !== null
    }
    return true
  }
  useActions('classify', {
    act,
    choose: (place) => {
      const name = keys.at(place)
      if (name !== undefined && !closed) choice.choose(name)
      return !closed
    },
  })

  const finished = !leasedTask && (closed || (state.phase !== 'failed' && isComplete(queue)))
  return (
    <div className="workspace by-thumb">
      <WorkspaceHead queue={queue} />
      <Notice session={session} state={state} />
      {leasedTask && (
        <div className="workspace-body">
          <Stage key={String(leasedTask.task.id)} task={leasedTask.task} view={view} onView={setView} comments={comments} />
          <ClassifySide queue={queue} leasedTask={leasedTask} flag={session.flagOf(leasedTask)} choice={choice} keys={keys} panels={panels} comments={comments} search={search} onAct={act} />
        </div>
      )}
      {finished && <AtEnd queue={queue} fill={() => void session.fill()} />}
      {!leasedTask && !finished && <NothingNow fill={() => void session.fill()} state={state} queue={queue} />}
      <footer className="workspace-foot">
        {!closed && <Strip session={session} state={state} queue={queue} />}
        <span className="grow" />
        {leasedTask && <LeaseClock leasedTask={leasedTask} answered={isAnswered(leasedTask)} />}
        <SaveLine />
      </footer>
      <LeaveGuard unsaved={comments.unsent} />
      {leasedTask && <TaskDialogs dialog={dialog} queue={queue} session={session} leasedTask={leasedTask} onClose={() => setDialog(null)} />}
    </div>
  )
}

interface TaskDialogsProps {
  dialog: DialogName | null
  queue: Queue
  session: LabelSession
  leasedTask: LeasedTask
  onClose: () => void
}

function TaskDialogs({ dialog, queue, session, leasedTask, onClose }: TaskDialogsProps) {
  if (dialog === 'skipReason') return <SkipDialog reasons={queue.skip_reasons} onSkip={(reason) => session.skip(reason)} onClose={onClose} />
  if (dialog === 'flag') return <FlagDialog flag={session.flagOf(leasedTask)} onFlag={(note) => session.flag(note)} onClose={onClose} />
  return null
}

/** What is said to the session; false for actions that say nothing. */
function said(action: Act, choice: Choice, session: LabelSession): boolean {
  if (action === 'acceptSuggestion') session.acceptSuggestion()
  else if (action === 'clear') return choice.clear()
  else if (action === 'skip') session.skip()
  else if (action === 'undo') choice.undo()
  else if (action === 'back') session.look(1)
  else if (action === 'forward') session.look(-1)
  else return false
  return true
}
