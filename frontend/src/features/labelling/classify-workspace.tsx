import { useRef, useState, useSyncExternalStore } from 'react'

import type { Queue } from '../../shared/api/types'
import { useKeyMap } from '../../shared/keys/key-store'
import { strokeWords } from '../../shared/keys/keyboard'
import { type ActionOf, strokesFor } from '../../shared/keys/keymap'
import { useActions } from '../../shared/keys/use-keys'
import { Choice } from './choice'
import { ClassKeys } from './class-keys'
import { ClassifySide } from './classify-side'
import { type Desk, isPast, type Seat } from './desk'
import { Finished } from './finished'
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
import { useDesk } from './use-desk'
import { plainView, viewAfter } from './view'
import { WorkspaceHead } from './workspace-head'

type Act = ActionOf<'classify'>
type DialogName = 'skipReason' | 'flag'

export function ClassifyWorkspace({ queue }: { queue: Queue }) {
  const [desk, state] = useDesk(queue)
  const [choice] = useState(() => new Choice(desk, { id: queue.id, classes: queue.classes, several: isSeveral(queue) }))
  useSyncExternalStore(choice.subscribe, choice.snapshot)
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const [panels, setPanels] = useState({ why: true, guideline: false })
  const [view, setView] = useState(plainView)
  const search = useRef<HTMLInputElement>(null)
  const keys = new ClassKeys(offeredClasses(queue))
  const none = strokesFor('classify', 'clear', useKeyMap())[0]
  const closed = queue.state === 'committed'
  const seat = closed ? undefined : desk.shown()

  const submitted = (shown: boolean): boolean => {
    const done = choice.submit()
    if (!done && shown && isSeveral(queue)) desk.remark(`Nothing is ticked: tick a class${none === undefined ? '' : `, or press ${strokeWords(none)} for none of them`}.`)
    return done || (shown && isSeveral(queue))
  }
  const act = (action: Act): boolean => {
    // What is committed is taken back by a new version, not by undo.
    if (closed) return false
    if (action === 'skipReason' || action === 'flag') setDialog(seat ? action : null)
    else if (action === 'why' || action === 'guideline') setPanels({ ...panels, [action]: !panels[action] })
    else if (action === 'search') search.current?.focus()
    else if (action === 'accept') return submitted(seat !== undefined)
    else if (said(action, choice, desk)) return true
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

  const finished = !seat && (closed || (state.phase !== 'failed' && isComplete(queue)))
  return (
    <div className="workspace">
      <WorkspaceHead queue={queue} />
      <Notice desk={desk} state={state} />
      {seat && (
        <div className="workspace-body">
          <Stage key={String(seat.task.id)} task={seat.task} view={view} onView={setView} />
          <ClassifySide queue={queue} seat={seat} flag={desk.flagOf(seat)} choice={choice} keys={keys} panels={panels} search={search} onAct={act} />
        </div>
      )}
      {finished && <Finished queue={queue} fill={() => void desk.fill()} />}
      {!seat && !finished && <NothingNow fill={() => void desk.fill()} state={state} queue={queue} />}
      <footer className="workspace-foot">
        {!closed && <Strip desk={desk} state={state} queue={queue} />}
        <span className="grow" />
        {seat && <LeaseClock seat={seat} answered={isPast(seat)} />}
        <SaveLine />
      </footer>
      {seat && <SeatDialogs dialog={dialog} queue={queue} desk={desk} seat={seat} onClose={() => setDialog(null)} />}
    </div>
  )
}

interface SeatDialogsProps {
  dialog: DialogName | null
  queue: Queue
  desk: Desk
  seat: Seat
  onClose: () => void
}

function SeatDialogs({ dialog, queue, desk, seat, onClose }: SeatDialogsProps) {
  if (dialog === 'skipReason') return <SkipDialog reasons={queue.skip_reasons} onSkip={(reason) => desk.skip(reason)} onClose={onClose} />
  if (dialog === 'flag') return <FlagDialog flag={desk.flagOf(seat)} onFlag={(note) => desk.flag(note)} onClose={onClose} />
  return null
}

/** What is said to the desk; false for actions that say nothing. */
function said(action: Act, choice: Choice, desk: Desk): boolean {
  if (action === 'acceptSuggestion') desk.acceptSuggestion()
  else if (action === 'clear') return choice.clear()
  else if (action === 'skip') desk.skip()
  else if (action === 'undo') choice.undo()
  else if (action === 'back') desk.look(1)
  else if (action === 'forward') desk.look(-1)
  else return false
  return true
}
