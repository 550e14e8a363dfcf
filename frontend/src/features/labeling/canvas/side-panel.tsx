import { plural } from '../../../shared/format/numbers'
import type { ActionOf } from '../../../shared/keys/keymap'
import type { Queue } from '../../../shared/api/types'
import type { ClassKeys } from '../class-keys'
import { AcceptAll } from './accept-all'
import { ClassBar } from './class-bar'
import type { Editor } from './core/editor'
import type { Corners } from './core/geometry'
import { classOf, members } from './core/selection'
import type { Marks } from './paint/marks'
import { OrderSwitch } from './drawing-order'
import { SelectionPanel } from './selection-panel'
import { ShapeFields } from './shape-fields'
import { ShapeList } from './shape-list'
import type { DocumentState } from './use-editor'

interface SidePanelProps {
  queue: Queue
  editor: Editor
  state: DocumentState
  keys: ClassKeys
  marks: Marks
  acceptFrom: number
  onAcceptFrom: (score: number) => void
  onAct: (action: ActionOf<'canvas'>) => void
}

/** Classes, shapes, and the numbers of the selected shape or what can be done to several: all that the drawing can do, without the drawing. */
export function SidePanel({ queue, editor, state, keys, marks, acceptFrom, onAcceptFrom, onAct }: SidePanelProps) {
  const selected = members(state.selected, state.shapes)
  const [shape] = selected
  const named = editor.named()
  const undecided = state.shapes.filter((each) => !each.confirmed)
  return (
    <>
      {selected.length > 1 && <SelectionPanel shapes={selected} onAct={onAct} />}
      <ClassBar keys={keys} marks={marks} current={named.length > 0 ? classOf(named) : state.nextClass} title={classTitle(selected.length, named.length)} onChoose={(name) => editor.choose(name)} />
      <OrderSwitch />
      <section aria-labelledby="canvas-shapes" className="stack">
        <div className="row">
          <h2 id="canvas-shapes" className="grow">
            Shapes <span className="quiet">{shapesWords(state.shapes.length, undecided.length)}</span>
          </h2>
          <button type="button" className="button little" onClick={() => editor.draw({ kind: 'box', corners: middle(editor) })}>
            Add a box
          </button>
        </div>
        {undecided.length > 0 && (
          <AcceptAll least={queue.accept_threshold ?? 0} from={acceptFrom} undecided={undecided} onFrom={onAcceptFrom} onAccept={() => editor.acceptFrom(acceptFrom)} />
        )}
        <ShapeList editor={editor} state={state} marks={marks} />
        {state.hiddenShapes.length > 0 && <HiddenLine editor={editor} state={state} />}
        {shape && selected.length === 1 && <ShapeFields key={shape.id} editor={editor} shape={shape} />}
      </section>
    </>
  )
}

function classTitle(selected: number, named: number): string {
  if (selected === 0 && named === 1) return 'Class of the shape just drawn'
  if (selected > 1) return `Class of the ${selected} selected shapes`
  return selected === 1 ? 'Class of the selected shape' : 'Class of the next shape'
}

/** Shapes that are hidden are submitted like the others, so they are not forgotten. */
function HiddenLine({ editor, state }: Pick<SidePanelProps, 'editor' | 'state'>) {
  return (
    <p className="row small">
      <span className="grow">{plural(state.hiddenShapes.length, 'shape')} hidden</span>
      <button type="button" className="button little" onClick={() => editor.showHidden()}>
        Show
      </button>
    </p>
  )
}

export function shapesWords(all: number, undecided: number): string {
  return undecided === 0 ? plural(all, 'shape') : `${all - undecided}/${all} confirmed`
}

/** Where a box goes that is to be placed by numbers. */
function middle({ size: { width, height } }: Editor): Corners {
  return [Math.floor(width / 4), Math.floor(height / 4), Math.ceil((width * 3) / 4), Math.ceil((height * 3) / 4)]
}
