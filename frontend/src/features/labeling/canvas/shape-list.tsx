import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, Trash2 } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'

import { ClassMark } from './class-bar'
import type { Editor } from './core/editor'
import { byDoubt, type Shape } from './core/shapes'
import type { Marks } from './paint/marks'
import { backToDrawing } from './toolbar'
import type { DocumentState } from './use-editor'

const rowHeight = 30

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
  const place = order.findIndex((shape) => shape.id === state.selected)
  useEffect(() => {
    if (place >= 0) rows.scrollToIndex(place)
  }, [rows, place])
  if (order.length === 0) return <p className="quiet small">No shapes yet. Choose a tool and draw, or submit the image as empty.</p>
  return (
    <div className="shape-scroll" ref={scroller}>
      <ol aria-label="Shapes" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const shape = order[row.index]
          return shape === undefined ? null : (
            <li key={shape.id} aria-setsize={order.length} aria-posinset={row.index + 1} style={{ transform: `translateY(${row.start}px)`, height: row.size }}>
              <ShapeRow editor={editor} shape={shape} selected={shape.id === state.selected} marks={marks} />
            </li>
          )
        })}
      </ol>
    </div>
  )
}

function ShapeRow({ editor, shape, selected, marks }: { editor: Editor; shape: Shape; selected: boolean; marks: Marks }) {
  const confirmed = shape.confirmed ? '✓ ok' : '? model'
  return (
    <div className={`shape-row ${selected ? 'selected' : ''}`}>
      <button
        type="button"
        className="shape-name"
        aria-pressed={selected}
        onClick={(event) => {
          editor.show(shape)
          backToDrawing(event)
        }}
      >
        <ClassMark marks={marks} name={shape.class} />
        <span className="cut grow">{shape.class}</span>
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
