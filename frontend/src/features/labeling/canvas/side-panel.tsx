import { plural } from '../../../shared/format/numbers'
import type { Queue } from '../../../shared/api/types'
import type { ClassKeys } from '../class-keys'
import { AcceptAll } from './accept-all'
import { ClassBar } from './class-bar'
import type { Editor } from './core/editor'
import type { Corners } from './core/geometry'
import type { Marks } from './paint/marks'
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
}

/** Classes, shapes, and the numbers of the selected shape: all that the drawing can do, without the drawing. */
export function SidePanel({ queue, editor, state, keys, marks, acceptFrom, onAcceptFrom }: SidePanelProps) {
  const shape = state.shapes.find((each) => each.id === state.selected) ?? null
  const undecided = state.shapes.filter((each) => !each.confirmed)
  return (
    <>
      <ClassBar keys={keys} marks={marks} current={shape?.class ?? state.nextClass} title={shape ? 'Class of the selected shape' : 'Class of the next shape'} onChoose={(name) => editor.choose(name)} />
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
        {shape && <ShapeFields key={shape.id} editor={editor} shape={shape} />}
      </section>
    </>
  )
}

export function shapesWords(all: number, undecided: number): string {
  return undecided === 0 ? plural(all, 'shape') : `${all - undecided}/${all} confirmed`
}

/** Where a box goes that is to be placed by numbers. */
function middle({ size: { width, height } }: Editor): Corners {
  return [Math.floor(width / 4), Math.floor(height / 4), Math.ceil((width * 3) / 4), Math.ceil((height * 3) / 4)]
}
