import type { CanvasView } from '../core/view'
import { type ShapeMark, suggestedDash } from './marks'

const halo = 'rgb(0 0 0 / 85%)'

/** From here on, what is drawn is in image pixels. */
export function intoImage(context: CanvasRenderingContext2D, view: CanvasView, ratio: number): void {
  context.setTransform(view.scale * ratio, 0, 0, view.scale * ratio, view.x * ratio, view.y * ratio)
}

/** From here on, what is drawn is in screen pixels. */
export function ontoScreen(context: CanvasRenderingContext2D, ratio: number): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
}

/**
 * A line of the class's colour on black, so that it shows on any image.
 *
 * A confirmed shape has the class's dash on unbroken black; of a suggestion the black is broken too, so that the image shows
 * through and nobody takes it for confirmed.
 */
export function strokeOutline(context: CanvasRenderingContext2D, path: Path2D, { colour, dash }: ShapeMark, confirmed: boolean, width: number, scale: number): void {
  const unit = 1 / scale
  setDash(context, confirmed ? [] : suggestedDash, scale)
  context.lineJoin = 'round'
  context.strokeStyle = halo
  context.lineWidth = (width + 2) * unit
  context.stroke(path)
  context.strokeStyle = colour
  context.lineWidth = width * unit
  if (confirmed) setDash(context, dash, scale)
  context.stroke(path)
  context.setLineDash([])
}

/** White below an outline, broken where a suggestion's line is; painted first, it shows as an edge. */
export function strokeEdge(context: CanvasRenderingContext2D, path: Path2D, confirmed: boolean, width: number, scale: number): void {
  setDash(context, confirmed ? [] : suggestedDash, scale)
  context.lineJoin = 'round'
  context.strokeStyle = '#fff'
  context.lineWidth = width / scale
  context.stroke(path)
  context.setLineDash([])
}

/** Lengths are in screen pixels. */
function setDash(context: CanvasRenderingContext2D, lengths: readonly number[], scale: number): void {
  context.setLineDash(lengths.map((length) => length / scale))
}
