import './grid.css'

import { useRef, useState } from 'react'

import type { Queue } from '../../../shared/api/types'
import type { ActionOf } from '../../../shared/keys/keymap'
import { useActions } from '../../../shared/keys/use-keys'
import { Dialog } from '../../../shared/ui/dialog'
import { AnswerBar } from '../answer-bar'
import { ClassKeys } from '../class-keys'
import { ClassList } from '../class-list'
import { Finished } from '../finished'
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
import type { GridDesk, GridState } from './grid-desk'
import { PageBar } from './page-bar'
import { TileGrid } from './tile-grid'
import { countTiles, type Tile } from './tiles'
import { useGridDesk } from './use-grid-desk'

type Act = ActionOf<'grid'>
type DialogName = 'skipReason' | 'flag' | 'zoom'

/** Small tiles make large pages. */
const sizes = [
  { side: 96, tiles: 96 },
  { side: 136, tiles: 60 },
  { side: 200, tiles: 32 },
] as const

export function GridWorkspace({ queue }: { queue: Queue }) {
  const [size, setSize] = useState(1)
  const { side, tiles: perPage } = sizes[size] ?? sizes[1]
  const [desk, state] = useGridDesk(queue, perPage)
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const [guideline, setGuideline] = useState(false)
  const search = useRef<HTMLInputElement>(null)
  const columns = useRef(1)
  const keys = new ClassKeys(offeredClasses(queue))
  const facts = { classes: queue.classes, several: isSeveral(queue), threshold: queue.accept_threshold }
  const closed = queue.state === 'committed'
  const focused = closed ? undefined : state.tiles[state.focus]

  const act = (action: Act): boolean => {
    if (closed) return false
    if (action === 'skipReason' || action === 'flag' || action === 'zoom') setDialog(focused ? action : null)
    else if (action === 'guideline') setGuideline(!guideline)
    else if (action === 'search') search.current?.focus()
    else if (action === 'larger') setSize(Math.min(sizes.length - 1, size + 1))
    else if (action === 'smaller') setSize(Math.max(0, size - 1))
    else return toDesk(action, desk, columns.current)
    return true
  }
  useActions('grid', {
    act,
    choose: (place) => {
      const name = keys.at(place)
      if (name !== undefined && !closed) desk.label(name)
      return !closed
    },
  })

  const finished = !focused && (closed || (state.phase !== 'failed' && isComplete(queue)))
  return (
    <div className="workspace">
      <WorkspaceHead queue={queue} />
      <Notice desk={desk} state={state} />
      {focused && state.cluster !== undefined && (
        <div className="grid-body">
          <ClusterList clusters={state.clusters} current={state.cluster} schema={queue.schema} onShow={(name) => void desk.show(name)} />
          <div className="grid-page">
            <PageBar cluster={state.cluster} counts={countTiles(state.tiles, facts)} threshold={queue.accept_threshold} onAccept={() => desk.acceptPage()} />
            <TileGrid desk={desk} state={state} facts={facts} schema={queue.schema} side={side} columns={columns} />
          </div>
          <GridSide queue={queue} desk={desk} state={state} focused={focused} keys={keys} search={search} guideline={guideline} onAct={act} />
        </div>
      )}
      {finished && <Finished queue={queue} fill={() => void desk.fill()} />}
      {!focused && !finished && <NothingNow fill={() => void desk.fill()} state={state} queue={queue} />}
      <footer className="workspace-foot">
        <span className="quiet small">Arrows move · ⇧ selects · a class key sets it</span>
        <span className="grow" />
        <SaveLine />
      </footer>
      {focused && <TileDialogs dialog={dialog} queue={queue} desk={desk} tile={focused} onClose={() => setDialog(null)} />}
    </div>
  )
}

interface GridSideProps {
  queue: Queue
  desk: GridDesk
  state: GridState
  focused: Tile
  keys: ClassKeys
  search: { current: HTMLInputElement | null }
  guideline: boolean
  onAct: (action: Act) => void
}

/** The classes and what can be done with the selected tiles. */
function GridSide({ queue, desk, state, focused, keys, search, guideline, onAct }: GridSideProps) {
  const [choose] = useState(() => (name: string) => desk.label(name))
  const [first, last] = desk.range()
  const number = last - first + 1
  return (
    <div className="side">
      <p className="small quiet">{number > 1 ? `${number} selected` : focused.seat.task.sample.key}</p>
      <ClassList
        classes={offeredClasses(queue)}
        keys={keys}
        suggestion={null}
        suggested={[]}
        ticked={focused.value ? namedClasses(focused.value) : []}
        onChoose={choose}
        search={search}
      />
      <AnswerBar
        scope="grid"
        buttons={[
          { action: 'accept', words: 'Confirm' },
          { action: 'clear', words: focused.manner === 'out' ? 'Put back' : 'Leave out' },
          { action: 'skip', words: 'Skip' },
          { action: 'flag', words: 'Flag' },
          { action: 'zoom', words: 'Look' },
          { action: 'undo', words: 'Undo', disabled: !state.canUndo },
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
  desk: GridDesk
  tile: Tile
  onClose: () => void
}

function TileDialogs({ dialog, queue, desk, tile, onClose }: TileDialogsProps) {
  const { task } = tile.seat
  if (dialog === 'skipReason') return <SkipDialog reasons={queue.skip_reasons} onSkip={(reason) => desk.skip(reason)} onClose={onClose} />
  if (dialog === 'flag') return <FlagDialog flag={task.flag} onFlag={(note) => desk.flag(note)} onClose={onClose} />
  if (dialog !== 'zoom') return null
  return (
    <Dialog onClose={onClose} title={task.sample.key} wide>
      <img src={task.url} alt={`Sample ${task.sample.key}`} className={`zoomed-tile ${(task.sample.width ?? 640) <= 128 ? 'pixels' : ''}`} />
    </Dialog>
  )
}

function toDesk(action: Act, desk: GridDesk, columns: number): boolean {
  const steps: Partial<Record<Act, number>> = { left: -1, right: 1, up: -columns, down: columns }
  const ranges: Partial<Record<Act, number>> = { rangeLeft: -1, rangeRight: 1, rangeUp: -columns, rangeDown: columns }
  const step = steps[action]
  const range = ranges[action]
  if (step !== undefined) desk.move(step)
  else if (range !== undefined) desk.move(range, true)
  else if (action === 'selectAll') desk.selectAll()
  else if (action === 'acceptPage') desk.acceptPage()
  else if (action === 'accept') desk.accept()
  else if (action === 'clear') desk.toggleOut()
  else if (action === 'skip') desk.skip()
  else if (action === 'undo') void desk.undo()
  else return false
  return true
}
