import { bounds, type Corners, cornersOf, type Point } from '../core/geometry'
import type { ShapeDraft } from '../core/draft'
import type { EditorState } from '../core/editor-state'
import { handlePoint, handles } from '../core/hit'
import { members } from '../core/selection'
import type { Shape } from '../core/shapes'
import { toScreen, type CanvasView } from '../core/view'
import { paintChip, paintChips } from './chips'
import type { ShapeMark, Marks } from './marks'
import { batched, trace } from './outlines'
import { intoImage, ontoScreen, strokeEdge, strokeOutline } from './strokes'

const handleSide = 8
/** Two pixels to each side of the line and its black. */
const edgePx = 9

/** The upper canvas: the selected shapes, one with its handles; the marquee, the shape being drawn, the crosshair. Painted on every frame that changes. */
export function paintActive(canvas: HTMLCanvasElement, state: EditorState, marks: Marks, ratio: number): void {
  const context = canvas.getContext('2d')
  if (!context) return
  ontoScreen(context, 1)
  context.clearRect(0, 0, canvas.width, canvas.height)
  const selected = state.hidden ? [] : (state.live ?? members(state.selected, state.shapes))
  const [first] = selected
  if (first && selected.length === 1) paintSelected(context, first, state, marks, ratio)
  else if (first) paintSeveral(context, selected, state, marks, ratio)
  if (state.marquee) paintMarquee(context, state.marquee, state.view, ratio)
  if (state.tool === 'select') return
  if (state.draft) paintDraft(context, state.draft, state.view, marks.of(state.nextClass), ratio)
  ontoScreen(context, ratio)
  paintCrosshair(context, toScreen(state.view, state.cursor), canvas.width / ratio, canvas.height / ratio)
}

function paintSelected(context: CanvasRenderingContext2D, shape: Shape, { view, vertex, names, changes }: EditorState, marks: Marks, ratio: number): void {
  const path = new Path2D()
  trace(path, shape)
  intoImage(context, view, ratio)
  strokeOutline(context, path, marks.of(shape.class), shape.confirmed, 3, view.scale)
  ontoScreen(context, ratio)
  const points = shape.kind === 'box' ? handles.map((handle) => handlePoint(shape, handle)) : shape.points
  if (changes !== 'none') points.forEach((point, place) => paintHandle(context, toScreen(view, point), place === vertex && shape.kind === 'polygon'))
  if (names) paintChip(context, shape, view, marks)
}

/** A white edge around each says that it is selected; handles would say that they are stretched together. */
function paintSeveral(context: CanvasRenderingContext2D, shapes: readonly Shape[], { view, names }: EditorState, marks: Marks, ratio: number): void {
  intoImage(context, view, ratio)
  for (const batch of batched(shapes)) {
    strokeEdge(context, batch.path, batch.confirmed, edgePx, view.scale)
    strokeOutline(context, batch.path, marks.of(batch.class), batch.confirmed, 3, view.scale)
  }
  ontoScreen(context, ratio)
  if (names) paintChips(context, shapes, view, marks)
}

function paintMarquee(context: CanvasRenderingContext2D, [x1, y1, x2, y2]: Corners, view: CanvasView, ratio: number): void {
  const unit = 1 / view.scale
  intoImage(context, view, ratio)
  context.lineWidth = unit
  context.strokeStyle = '#000'
  context.strokeRect(x1, y1, x2 - x1, y2 - y1)
  context.setLineDash([4 * unit, 4 * unit])
  context.strokeStyle = '#fff'
  context.strokeRect(x1, y1, x2 - x1, y2 - y1)
  context.setLineDash([])
}

function paintHandle(context: CanvasRenderingContext2D, { x, y }: Point, chosen: boolean): void {
  const side = chosen ? handleSide + 4 : handleSide
  context.fillStyle = chosen ? '#000' : '#fff'
  context.strokeStyle = chosen ? '#fff' : '#000'
  context.lineWidth = chosen ? 2 : 1
  context.fillRect(x - side / 2, y - side / 2, side, side)
  context.strokeRect(x - side / 2, y - side / 2, side, side)
}

function paintDraft(context: CanvasRenderingContext2D, draft: ShapeDraft, view: CanvasView, mark: ShapeMark, ratio: number): void {
  const path = new Path2D()
  if (draft.tool === 'box') {
    rectangle(path, cornersOf(draft.from, draft.to))
  } else {
    const points = [...draft.points, draft.to]
    if (draft.tool === 'extreme') rectangle(path, bounds(points))
    else points.forEach(({ x, y }, place) => (place === 0 ? path.moveTo(x, y) : path.lineTo(x, y)))
  }
  intoImage(context, view, ratio)
  strokeOutline(context, path, mark, true, 2, view.scale)
  ontoScreen(context, ratio)
  if (draft.tool !== 'box') draft.points.forEach((point) => paintHandle(context, toScreen(view, point), false))
}

function rectangle(path: Path2D, [x1, y1, x2, y2]: readonly [number, number, number, number]): void {
  path.rect(x1, y1, x2 - x1, y2 - y1)
}

/** A white line beside a black one shows on any image. */
function paintCrosshair(context: CanvasRenderingContext2D, at: Point, width: number, height: number): void {
  const x = Math.round(at.x)
  const y = Math.round(at.y)
  context.fillStyle = 'rgb(0 0 0 / 70%)'
  context.fillRect(x, 0, 1, height)
  context.fillRect(0, y, width, 1)
  context.fillStyle = 'rgb(255 255 255 / 85%)'
  context.fillRect(x - 1, 0, 1, height)
  context.fillRect(0, y - 1, width, 1)
}
