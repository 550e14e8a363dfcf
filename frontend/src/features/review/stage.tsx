import { type CSSProperties, type PointerEvent, useState } from 'react'

import type { PolygonShape, ShapesValue } from '../../shared/api/types'
import { PinLayer } from '../../shared/comments/pin-layer'
import type { CommentsOfTask } from '../../shared/comments/use-task-comments'
import { polygonPath } from '../../shared/format/labels'
import { bent, boundsOf, type Corner, drawn, type Editing, moved, type ImagePoint, parted, partsOf, pointsOf, pulled, settled } from './editing'
import type { AnswerLayer } from './layers'
import { namePlaces } from './name-places'
import type { Review } from './types'

const tiny = 128

const hints: Record<Editing['draws'], string> = {
  boxes: 'Drag to draw, drag a box or its corners to correct it',
  polygons: 'Drag to draw four points; drag a polygon, its points or the middle of a side to correct it',
}

interface StageProps {
  review: Review
  layers: readonly AnswerLayer[]
  names: boolean
  editing: Editing | null
  onEdit: (editing: Editing) => void
  comments: CommentsOfTask
}

/** The image as large as there is room, under the shapes of everybody who is shown. */
export function Stage({ review, layers, names, editing, onEdit, comments }: StageProps) {
  const { key } = review.sample
  // Over the consensus, whose line is solid, everybody's own dashes still show.
  const fromBelow = [...layers].reverse()
  const [width, height] = [review.sample.width ?? 640, review.sample.height ?? 480]
  return (
    <div className="review-stage">
      <img
        key={review.id}
        src={review.url}
        alt={`Sample ${key}`}
        className={Math.max(width, height) <= tiny ? 'pixels' : ''}
        draggable={false}
      />
      {!editing && fromBelow.map((layer) => <Sheet key={layer.id} layer={layer} width={width} height={height} />)}
      {!editing && names && <Names layers={layers} width={width} height={height} />}
      {editing && <EditSheet editing={editing} names={names} onEdit={onEdit} />}
      <div className="pin-room review-pins" style={{ '--shape': width / height } as CSSProperties}>
        <PinLayer of={comments} />
      </div>
      <div className="stage-facts">
        <span className="cut mono">{key}</span>
        <span>
          {width} × {height} px
        </span>
        {editing && <span>{hints[editing.draws]}</span>}
      </div>
    </div>
  )
}

function Sheet({ layer: { shapes, colour, dash }, width, height }: { layer: AnswerLayer; width: number; height: number }) {
  return (
    <svg className="review-sheet" viewBox={`0 0 ${width} ${height}`} aria-hidden style={{ color: colour }}>
      <Outlines shapes={shapes} dash={dash} />
    </svg>
  )
}

/** Of the longer side of the image: the height of a name's letters. */
const letters = 0.022

function Names({ layers, width, height }: { layers: readonly AnswerLayer[]; width: number; height: number }) {
  const size = Math.max(width, height) * letters
  return (
    <svg className="review-sheet" viewBox={`0 0 ${width} ${height}`} aria-hidden>
      {namePlaces(layers, size).map(({ id, text, colour, x, y }) => (
        <text key={id} x={x} y={y} fontSize={size} strokeWidth={size / 4} style={{ fill: colour }}>
          {text}
        </text>
      ))}
    </svg>
  )
}

function Outlines({ shapes, dash }: { shapes: ShapesValue; dash: string }) {
  return (
    <>
      {shapes.boxes.map(({ box: [x1, y1, x2, y2] }, place) => (
        <g key={place}>
          <rect className="halo" x={x1} y={y1} width={x2 - x1} height={y2 - y1} />
          <rect className="line" x={x1} y={y1} width={x2 - x1} height={y2 - y1} strokeDasharray={dash} />
        </g>
      ))}
      {(shapes.polygons ?? []).map((polygon, place) => (
        <g key={`polygon ${place}`}>
          <path className="halo" d={polygonPath(polygon)} />
          <path className="line" d={polygonPath(polygon)} strokeDasharray={dash} />
        </g>
      ))}
    </>
  )
}

type Gesture =
  | { kind: 'draw'; from: ImagePoint; to: ImagePoint }
  | { kind: 'move'; from: ImagePoint; at: Editing }
  | { kind: 'pull'; corner: Corner }
  | { kind: 'bend'; point: number }

function EditSheet({ editing, names, onEdit }: { editing: Editing; names: boolean; onEdit: (editing: Editing) => void }) {
  const [gesture, setGesture] = useState<Gesture | null>(null)
  const { width, height, shapes, selected } = editing
  const scale = Math.max(width, height) / 100

  const onDown = (event: PointerEvent<SVGSVGElement>) => {
    // Else the browser drags what is selected on the page instead.
    event.preventDefault()
    const from = placeOf(event)
    const { corner, part, point, side } = (event.target as SVGElement).dataset
    event.currentTarget.setPointerCapture(event.pointerId)
    if (corner !== undefined) setGesture({ kind: 'pull', corner: { left: corner.includes('l'), top: corner.includes('t') } })
    else if (point !== undefined) setGesture({ kind: 'bend', point: Number(point) })
    else if (side !== undefined) {
      onEdit(parted(editing, Number(side), from))
      setGesture({ kind: 'bend', point: Number(side) + 1 })
    } else if (part !== undefined) {
      const at = { ...editing, selected: Number(part) }
      onEdit(at)
      setGesture({ kind: 'move', from, at })
    } else setGesture({ kind: 'draw', from, to: from })
  }
  const onMove = (event: PointerEvent<SVGSVGElement>) => {
    const to = placeOf(event)
    if (gesture?.kind === 'draw') setGesture({ ...gesture, to })
    else if (gesture?.kind === 'move') onEdit(moved(gesture.at, to.x - gesture.from.x, to.y - gesture.from.y))
    else if (gesture?.kind === 'pull') onEdit(pulled(editing, gesture.corner, to))
    else if (gesture?.kind === 'bend') onEdit(bent(editing, gesture.point, to))
  }
  const onUp = () => {
    if (gesture?.kind === 'draw') onEdit(drawn(editing, gesture.from, gesture.to))
    else if (gesture) onEdit(settled(editing))
    setGesture(null)
  }
  const parts = partsOf(shapes)
  const chosen = selected === null ? undefined : parts[selected]
  return (
    <svg
      className="review-sheet editing"
      viewBox={`0 0 ${width} ${height}`}
      role="application"
      aria-label="Shapes that are corrected"
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={onUp}
      onPointerCancel={() => setGesture(null)}
    >
      <Outlines shapes={shapes} dash="" />
      {parts.map((part, place) => {
        const [x1, y1, x2, y2] = boundsOf(part)
        const outline = (className: string) =>
          'box' in part ? (
            <rect className={className} data-part={place} x={x1} y={y1} width={x2 - x1} height={y2 - y1} />
          ) : (
            <path className={className} data-part={place} d={polygonPath(part)} />
          )
        return (
          <g key={place} className={place === selected ? 'chosen' : ''}>
            {outline('grip')}
            {place === selected && outline('line')}
            {names && (
              <text x={x1} y={y1 - scale * 0.6} fontSize={scale * 2.2} strokeWidth={scale * 0.5}>
                {part.class}
              </text>
            )}
          </g>
        )
      })}
      {chosen && ('box' in chosen ? <Corners box={chosen.box} side={scale * 2} /> : <Points polygon={chosen} side={scale * 2} />)}
      {gesture?.kind === 'draw' && <Growing from={gesture.from} to={gesture.to} />}
    </svg>
  )
}

function Corners({ box: [x1, y1, x2, y2], side }: { box: [number, number, number, number]; side: number }) {
  const corners = [['lt', x1, y1], ['rt', x2, y1], ['lb', x1, y2], ['rb', x2, y2]] as const
  return corners.map(([name, x, y]) => (
    <rect key={name} className="corner" data-corner={name} x={x - side / 2} y={y - side / 2} width={side} height={side} />
  ))
}

/** The points of a polygon, and between them where one more begins. */
function Points({ polygon, side }: { polygon: PolygonShape; side: number }) {
  return pointsOf(polygon).map(({ at: [x, y], next: [nextX, nextY] }, place) => {
    return (
      <g key={place}>
        <circle className="corner midway" data-side={place} cx={(x + nextX) / 2} cy={(y + nextY) / 2} r={side / 3} />
        <rect className="corner point" data-point={place} x={x - side / 2} y={y - side / 2} width={side} height={side} />
      </g>
    )
  })
}

function Growing({ from, to }: { from: ImagePoint; to: ImagePoint }) {
  return (
    <rect className="line growing" x={Math.min(from.x, to.x)} y={Math.min(from.y, to.y)} width={Math.abs(to.x - from.x)} height={Math.abs(to.y - from.y)} />
  )
}

/** Where on the image the pointer is, in px of the image. */
function placeOf(event: PointerEvent<SVGSVGElement>): ImagePoint {
  const matrix = event.currentTarget.getScreenCTM()?.inverse()
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix)
  return { x, y }
}
