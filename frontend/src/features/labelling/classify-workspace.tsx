import { useState } from 'react'

import type { Queue } from '../../shared/api/types'
import type { ActionOf } from '../../shared/keys/keymap'
import { useActions } from '../../shared/keys/use-keys'
import { ClassKeys } from './class-keys'
import { ClassList } from './class-list'
import { type Desk, isPast } from './desk'
import { Finished } from './finished'
import { HelpDialog } from './help-dialog'
import { LeaseClock } from './lease-clock'
import { Notice } from './notice'
import { NothingNow } from './nothing-now'
import { SaveLine } from './save-line'
import { plainView, Stage, type View } from './stage'
import { Strip } from './strip'
import { useDesk } from './use-desk'
import { WhyPanel } from './why-panel'
import { isComplete, newestCounts, WorkspaceHead } from './workspace-head'

type Act = ActionOf<'classify'> | ActionOf<'global'>

export function ClassifyWorkspace({ queue }: { queue: Queue }) {
  const [desk, state] = useDesk(queue)
  const [help, setHelp] = useState(false)
  const [why, setWhy] = useState(true)
  const [view, setView] = useState<View>(plainView)
  const keys = new ClassKeys(queue.classes.map((name) => ({ name })))
  const closed = queue.state === 'committed'
  const seat = closed ? undefined : desk.shown()
  const counts = newestCounts(queue.counts, state)

  const choose = (name: string | undefined) => name !== undefined && desk.say({ class: name })
  const act = (action: Act): boolean => {
    if (action === 'help') setHelp(true)
    // What is committed is taken back by a new version, not by undo.
    else if (closed) return false
    else if (action === 'why') setWhy(!why)
    else if (toDesk(action, desk)) return true
    else return toView(action, view, setView)
    return true
  }
  useActions('classify', {
    act,
    choose: (place) => {
      if (closed) return false
      choose(keys.at(place))
      return true
    },
  })

  const finished = !seat && (closed || (state.phase !== 'failed' && isComplete(queue, counts)))
  return (
    <div className="workspace">
      <WorkspaceHead queue={queue} counts={counts} onHelp={() => setHelp(true)} />
      <Notice desk={desk} state={state} />
      {seat && (
        <div className="workspace-body">
          <Stage key={String(seat.task.id)} task={seat.task} view={view} onView={setView} />
          <div className="side">
            <ClassList
              keys={keys}
              task={seat.task}
              chosen={isPast(seat) ? seat.chosen : undefined}
              onChoose={choose}
              onAct={act}
            />
            {why && <WhyPanel why={seat.task.why} />}
          </div>
        </div>
      )}
      {finished && <Finished queue={queue} counts={counts} />}
      {!seat && !finished && <NothingNow desk={desk} state={state} counts={counts} />}
      <footer className="workspace-foot">
        {!closed && <Strip desk={desk} state={state} classes={queue.classes} />}
        <span className="grow" />
        {seat && <LeaseClock seat={seat} answered={isPast(seat)} />}
        <SaveLine />
      </footer>
      <HelpDialog open={help} onClose={() => setHelp(false)} scope="classify" />
    </div>
  )
}

function toDesk(action: Act, desk: Desk): boolean {
  if (action === 'accept' || action === 'acceptSuggestion') desk.acceptSuggestion()
  else if (action === 'skip') desk.skip()
  else if (action === 'undo') void desk.undo()
  else if (action === 'back') desk.look(1)
  else if (action === 'forward') desk.look(-1)
  else return false
  return true
}

function toView(action: Act, view: View, setView: (view: View) => void): boolean {
  if (action === 'zoom') setView({ ...view, zoom: !view.zoom })
  else if (action === 'brighter') setView({ ...view, brightness: stepped(view.brightness, 1) })
  else if (action === 'darker') setView({ ...view, brightness: stepped(view.brightness, -1) })
  else if (action === 'contrastUp') setView({ ...view, contrast: stepped(view.contrast, 1) })
  else if (action === 'contrastDown') setView({ ...view, contrast: stepped(view.contrast, -1) })
  else return false
  return true
}

function stepped(value: number, step: 1 | -1): number {
  return Math.min(2.4, Math.max(0.4, Math.round((value + step * 0.2) * 10) / 10))
}
