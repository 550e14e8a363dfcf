import './grid.css'
import '../thumb.css'

import { useRef, useState } from 'react'

import type { Queue } from '../../../shared/api/types'
import { CommentSheet } from '../../../shared/comments/sheet'
import { type CommentsOfTask, useTaskComments } from '../../../shared/comments/use-task-comments'
import { KeyCap } from '../../../shared/keys/key-cap'
import type { ActionOf } from '../../../shared/keys/keymap'
import { useActions } from '../../../shared/keys/use-keys'
import { Dialog } from '../../../shared/ui/dialog'
import { LeaveGuard } from '../../../shared/ui/leave-guard'
import { AnswerBar } from '../answer-bar'
import { AtEnd } from '../at-end'
import { ClassKeys } from '../class-keys'
import { ClassList } from '../class-list'
import { FlagDialog } from '../flag-dialog'
import { Guidelines } from '../guidelines'
import { Notice } from '../notice'
import { NothingNow } from '../nothing-now'
import { isComplete } from '../progress'
import { isSeveral, offeredClasses } from '../queue-kind'
import { SaveLine } from '../save-line'
import { SkipDialog } from '../skip-dialog'
import { namedClasses } from '../values'
import { WorkspaceHead } from '../workspace-head'
import { ClusterList } from './cluster-list'
import type { GridSession, GridState } from './grid-session'
import { PageBar } from './page-bar'
import { TileGrid } from './tile-grid'
import { isTiny } from './tile-view'
import { countTiles, type Tile } from './tiles'
import { useGridSession } from './use-grid-session'

type Act = ActionOf<'grid'>
type DialogName = 'skipReason' | 'flag' | 'zoom' | 'comments'

/** Small tiles make large pages. */
const sizes = [
  { side: 96, tiles: 96 },
  { side: 136, tiles: 60 },
  { side: 200, tiles: 32 },
] as const

export function GridWorkspace({ queue }: { queue: Queue }) {
  const [size, setSize] = useState(1)
  const { side, tiles: perPage } = sizes[size] ?? sizes[1]
  const [session, state] = useGridSession(queue, perPage)
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const [guideline, setGuideline] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const columns = useRef(1)
  const keys = new ClassKeys(offeredClasses(queue))
  const facts = { classes: queue.classes, several: isSeveral(queue), threshold: queue.accept_threshold }
  const closed = queue.state === 'committed'
  const focused = closed ? undefined : state.tiles[state.focus]
  const comments = useTaskComments(dialog === 'comments' ? focused?.leasedTask.task : undefined, { stays: true })

  const act = (action: Act): boolean => {
    if (closed) return false
    if (action === 'comments' && focused) comments.write()
    if (action === 'comments' || action === 'skipReason' || action === 'flag' || action === 'zoom') setDialog(focused ? action : null)
    else if (action === 'guideline') setGuideline(!guideline)
    else if (action === 'search') search.current?.focus()
    else if (action === 'larger') setSize(Math.min(sizes.length - 1, size + 1))
    else if (action === 'smaller') setSize(Math.max(0, size - 1))
    else return toLabelSession(action, session, columns.current)
    return true
  }
  useActions('grid', {
    act,
    choose: (place) => {
      const name = keys.at(place)
      if (name !== undefined && !closed) session.label(name)
      return !closed
    },
  })

  const finished = !focused && (closed || (state.phase !== 'failed' && isComplete(queue)))
  return (
    <div className="workspace by-thumb">
      <WorkspaceHead queue={queue} />
      <Notice session={session} state={state} />
      {focused && state.cluster !== undefined && (
        <div className="grid-body">
          <ClusterList clusters={state.clusters} current={state.cluster} schema={queue.schema} onShow={(name) => void session.show(name)} />
          <div className="grid-page">
            <PageBar cluster={state.cluster} counts={countTiles(state.tiles, facts)} threshold={queue.accept_threshold} onAccept={() => session.acceptPage()} />
            <TileGrid session={session} state={state} facts={facts} schema={queue.schema} side={side} columns={columns} />
          </div>
          <GridSide queue={queue} session={session} state={state} focused={focused} keys={keys} search={search} guideline={guideline} onAct={act} />
        </div>
      )}
      {finished && <AtEnd queue={queue} fill={() => void session.fill()} />}
      {!focused && !finished && <NothingNow fill={() => void session.fill()} state={state} queue={queue} />}
      <footer className="workspace-foot">
        <span className="quiet small keys-only">Arrows move · ⇧ selects · a class key sets it</span>
        <span className="grow" />
        <SaveLine />
      </footer>
      {focused && <TileDialogs dialog={dialog} queue={queue} session={session} tile={focused} comments={comments} onClose={() => setDialog(null)} />}
      <LeaveGuard unsaved={comments.unsent} />
    </div>
  )
}

interface GridSideProps {
  queue: Queue
  session: GridSession
  state: GridState
  focused: Tile
  keys: ClassKeys
  search: { current: HTMLInputElement | null }
  guideline: boolean
  onAct: (action: Act) => void
}

/** The classes and what can be done with the selected tiles. */
function GridSide({ queue, session, state, focused, keys, search, guideline, onAct }: GridSideProps) {
  const [choose] = useState(() => (name: string) => session.label(name))
  const [first, last] = session.range()
  const number = last - first + 1
  return (
    <div className="side">
      <p className="small quiet">{number > 1 ? `${number} selected` : focused.leasedTask.task.sample.key}</p>
      <ClassList
        classes={offeredClasses(queue)}
        keys={keys}
        suggestion={null}
        suggested={[]}
        ticked={focused.value ? namedClasses(focused.value) : []}
        onChoose={choose}
        search={search}
        searchCap={<KeyCap scope="grid" action="search" />}
      />
      <AnswerBar
        scope="grid"
        buttons={[
          { action: 'accept', words: 'Confirm' },
          { action: 'clear', words: focused.manner === 'out' ? 'Put back' : 'Leave out' },
          { action: 'skip', words: 'Skip' },
          { action: 'flag', words: 'Flag' },
          { action: 'comments', words: 'Comments' },
          { action: 'zoom', words: 'Look' },
          { action: 'undo', words: 'Undo', refusal: state.canUndo ? null : 'There is nothing to undo.' },
        ]}
        onAct={onAct}
      />
      {guideline && <Guidelines schema={queue.schema} />}
    </div>
  )
}

interface TileDialogsProps {
  dialog: DialogName | null
  queue: Queue
  session: GridSession
  tile: Tile
  comments: CommentsOfTask
  onClose: () => void
}

function TileDialogs({ dialog, queue, session, tile, comments, onClose }: TileDialogsProps) {
  const { task } = tile.leasedTask
  if (dialog === 'skipReason') return <SkipDialog reasons={queue.skip_reasons} onSkip={(reason) => session.skip(reason)} onClose={onClose} />
  if (dialog === 'flag') return <FlagDialog flag={task.flag} onFlag={(note) => session.flag(note)} onClose={onClose} />
  const tiny = isTiny(task.sample)
  if (dialog === 'comments') return <CommentSheet title={task.sample.key} url={task.url} name={task.sample.key} tiny={tiny} of={comments} onClose={onClose} />
  if (dialog !== 'zoom') return null
  return (
    <Dialog onClose={onClose} title={task.sample.key} wide>
      <img src={task.url} alt={`Sample ${task.sample.key}`} className={`zoomed-tile ${tiny ? 'pixels' : ''}`} />
    </Dialog>
  )
}

function toLabelSession(action: Act, session: GridSession, columns: number): boolean {
  const steps: Partial<Record<Act, number>> = { left: -1, right: 1, up: -columns, down: columns }
  const ranges: Partial<Record<Act, number>> = { rangeLeft: -1, rangeRight: 1, rangeUp: -columns, rangeDown: columns }
  const step = steps[action]
  const range = ranges[action]
  if (step !== undefined) session.move(step)
  else if (range !== undefined) session.move(range, true)
  else if (action === 'selectAll') session.selectAll()
  else if (action === 'acceptPage') session.acceptPage()
  else if (action === 'accept') session.accept()
  else if (action === 'clear') session.toggleOut()
  else if (action === 'skip') session.skip()
  else if (action === 'undo') void session.undo()
  else return false
  return true
}
