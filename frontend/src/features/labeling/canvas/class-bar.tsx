import type { CSSProperties } from 'react'

import type { ClassKeys } from '../class-keys'
import type { Marks } from './paint/marks'
import { backToDrawing } from './toolbar'

interface ClassBarProps {
  keys: ClassKeys
  marks: Marks
  /** The class of the selected shapes, else that of the next one; null where theirs differ. */
  current: string | null
  title: string
  onChoose: (name: string) => void
}

export function ClassBar({ keys, marks, current, title, onChoose }: ClassBarProps) {
  return (
    <section aria-labelledby="canvas-classes" className="stack">
      <h2 id="canvas-classes">{title}</h2>
      <ul className="class-bar">
        {keys.classes.map(({ name }) => (
          <li key={name}>
            <button
              type="button"
              className="class-chip"
              aria-pressed={name === current}
              onClick={(event) => {
                onChoose(name)
                backToDrawing(event)
              }}
            >
              <kbd>{keys.label(name) ?? '·'}</kbd>
              <ClassMark marks={marks} name={name} />
              <span className="cut">{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The class's line as it is drawn: its colour and its dash. */
export function ClassMark({ marks, name }: { marks: Marks; name: string }) {
  const { colour, dash } = marks.of(name)
  return (
    <svg className="class-mark" width={16} height={12} aria-hidden style={{ '--class-colour': colour } as CSSProperties}>
      <rect x={1.5} y={1.5} width={13} height={9} strokeDasharray={dash.map((length) => Math.max(1.5, length / 4)).join(' ')} />
    </svg>
  )
}
