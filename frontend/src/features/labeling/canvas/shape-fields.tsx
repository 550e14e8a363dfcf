import { Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'

import { RefusableButton } from '../../../shared/ui/refusable-button'
import { CarriedFacts } from './carried-facts'
import { canLose, pointAfter, withFewerPoints, withMorePoints } from './core/input/drag'
import type { Editor } from './core/editor'
import type { Corners, Point } from './core/geometry'
import type { CanvasBox, CanvasPolygon, Shape } from './core/shapes'

interface ShapeFieldsProps {
  editor: Editor
  shape: Shape
}

const cornerNames = ['Left', 'Top', 'Right', 'Bottom'] as const

/** The selected shape in numbers, for whoever can't or won't use a pointer, and for the exact pixel. */
export function ShapeFields({ editor, shape }: ShapeFieldsProps) {
  return (
    <fieldset className="shape-fields">
      <legend>
        {shape.class} in px
      </legend>
      {shape.kind === 'box' ? <BoxFields editor={editor} shape={shape} /> : <PointFields editor={editor} shape={shape} />}
      {shape.carried && <CarriedFacts carried={shape.carried} />}
    </fieldset>
  )
}

function BoxFields({ editor, shape }: { editor: Editor; shape: CanvasBox }) {
  const put = (place: number, value: number) => {
    const corners = shape.corners.map((old, each) => (each === place ? value : old)) as unknown as Corners
    editor.put({ ...shape, corners })
  }
  return (
    <div className="corner-fields">
      {cornerNames.map((name, place) => (
        <NumberField
          key={name}
          name={name}
          value={shape.corners[place] ?? 0}
          most={place % 2 === 0 ? editor.size.width : editor.size.height}
          onPut={(value) => put(place, value)}
        />
      ))}
    </div>
  )
}

function PointFields({ editor, shape }: { editor: Editor; shape: CanvasPolygon }) {
  const put = (place: number, point: Point) => {
    editor.put({ ...shape, points: shape.points.map((old, each) => (each === place ? point : old)) })
  }
  const between = (place: number): Point => {
    const a = shape.points[place] ?? { x: 0, y: 0 }
    const b = pointAfter(shape, place) ?? a
    return { x: Math.round((a.x + b.x) / 2), y: Math.round((a.y + b.y) / 2) }
  }
  return (
    <ol className="point-fields" aria-label="Points">
      {shape.points.map((point, place) => (
        <li key={place} className="row">
          <NumberField name={`Point ${place + 1}, x`} shown="x" value={point.x} most={editor.size.width} onPut={(x) => put(place, { ...point, x })} />
          <NumberField name={`Point ${place + 1}, y`} shown="y" value={point.y} most={editor.size.height} onPut={(y) => put(place, { ...point, y })} />
          <button type="button" className="shape-act" aria-label={`Add a point after point ${place + 1}`} onClick={() => editor.put(withMorePoints(shape, place, between(place)))}>
            <Plus size={14} aria-hidden />
          </button>
          <RefusableButton
            className="shape-act"
            aria-label={`Remove point ${place + 1}`}
            refusal={canLose(shape, place) ? null : 'A polygon needs three points.'}
            onClick={() => editor.put(withFewerPoints(shape, place))}
          >
            <Minus size={14} aria-hidden />
          </RefusableButton>
        </li>
      ))}
    </ol>
  )
}

interface NumberFieldProps {
  name: string
  /** What is printed where there is no room for the name. */
  shown?: string
  value: number
  most: number
  onPut: (value: number) => void
}

/** Takes effect on Enter and when it is left; what the image can't have is put back as it was. */
function NumberField({ name, shown, value, most, onPut }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const put = () => {
    const wanted = typed === null || typed.trim() === '' ? NaN : Number(typed)
    if (Number.isFinite(wanted)) onPut(Math.min(Math.max(0, wanted), most))
    setTyped(null)
  }
  return (
    <label className="number-field small">
      <span aria-hidden={shown !== undefined}>{shown ?? name}</span>
      <input
        className="field"
        type="number"
        step="any"
        min={0}
        max={most}
        aria-label={name}
        value={typed ?? String(Math.round(value * 100) / 100)}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={put}
        onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) put()
        }}
      />
    </label>
  )
}
