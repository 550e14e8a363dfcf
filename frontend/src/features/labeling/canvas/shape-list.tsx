import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, EyeOff, Trash2 } from 'lucide-react'
import { type MouseEvent, useEffect, useMemo, useRef } from 'react'

import { ClassMark } from './class-bar'
import type { Editor } from './core/editor'
import { withAll } from './core/selection'
import { byDoubt, type Shape } from './core/shapes'
import type { Marks } from './paint/marks'
import { isCoarse } from './input/coarse'
import { backToDrawing } from './toolbar'
import type { DocumentState } from './use-editor'

const rowHeight = isCoarse ? 45 : 30

interface ShapeListProps {
  editor: Editor
  state: DocumentState
  marks: Marks
}

/** Every shape of the image, the least certain first; only the rows in sight are in the page. */
export function ShapeList({ editor, state, marks }: ShapeListProps) {
  const order = useMemo(() => byDoubt(state.shapes), [state.shapes])
  const scroller = useRef<HTMLDivElement>(null)
  // The virtualizer answers from mutable state; this component reads it afresh on each render and memoises nothing of it.
  // eslint-disable-next-line react-hooks/incompatible-library
  const rows = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
  })
  const last = state.selected.at(-1)
  const place = order.findIndex((shape) => shape.id === last)
  const selected = useMemo(() => new Set(state.selected), [state.selected])
  const hidden = useMemo(() => new Set(state.hiddenShapes), [state.hiddenShapes])
  useEffect(() => {
    if (place >= 0) rows.scrollToIndex(place)
  }, [rows, place])
  const choose = (shape: Shape, to: number, event: MouseEvent) => {
    const [from, until] = [Math.min(place, to), Math.max(place, to)]
    if (event.shiftKey && place >= 0) editor.selectMany(withAll(state.selected, order.slice(from, until + 1).map(({ id }) => id)))
    else if (event.ctrlKey || event.metaKey || state.several) editor.toggle(shape.id)
    else editor.show(shape)
    backToDrawing(event)
  }
  if (order.length === 0) return <p className="quiet small">No shapes yet. Choose a tool and draw, or submit the image as empty.</p>
  return (
    <div className="shape-scroll" ref={scroller}>
      <ol aria-label="Shapes" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const shape = order[row.index]
          return shape === undefined ? null : (
            <li key={shape.id} aria-setsize={order.length} aria-posinset={row.index + 1} style={{ transform: `translateY(${row.start}px)`, height: row.size }}>
              <ShapeRow
                editor={editor}
                shape={shape}
                selected={selected.has(shape.id)}
                hidden={hidden.has(shape.id)}
                marks={marks}
                onChoose={(event) => choose(shape, row.index, event)}
              />
            </li>
          )
        })}
      </ol>
    </div>
  )
}

interface ShapeRowProps {
  editor: Editor
  shape: Shape
  selected: boolean
  hidden: boolean
  marks: Marks
  /** With Shift all up to it are selected, with Ctrl it is added or taken away. */
  onChoose: (event: MouseEvent) => void
}

function ShapeRow({ editor, shape, selected, hidden, marks, onChoose }: ShapeRowProps) {
  const asks = shape.score === null ? '? check' : '? model'
  const confirmed = shape.confirmed ? '✓ ok' : asks
  return (
    <div className={`shape-row ${selected ? 'selected' : ''}`}>
      <button
        type="button"
        className="shape-name"
        aria-pressed={selected}
        onClick={onChoose}
      >
        <ClassMark marks={marks} name={shape.class} />
        <span className="cut grow">{shape.class}</span>
        {hidden && <EyeOff size={14} aria-label="hidden" />}
        <span className="shape-score">{shape.score?.toFixed(2) ?? ''}</span>
        <span className={shape.confirmed ? 'shape-ok' : 'shape-asks'}>{confirmed}</span>
      </button>
      {!shape.confirmed && (
        <button type="button" className="shape-act" aria-label={`Accept ${shape.class}`} title="Accept (A)" onClick={() => actOn(editor, shape, () => editor.accept())}>
          <Check size={14} aria-hidden />
        </button>
      )}
      <button type="button" className="shape-act" aria-label={`Delete ${shape.class}`} title="Delete (X)" onClick={() => actOn(editor, shape, () => editor.remove())}>
        <Trash2 size={14} aria-hidden />
      </button>
    </div>
  )
}

function actOn(editor: Editor, shape: Shape, act: () => void): void {
  editor.select(shape.id)
  act()
}
