import type { View } from '../core/view'
import { type Mark, suggestedDash } from './marks'

const halo = 'rgb(0 0 0 / 85%)'

/** From here on, what is drawn is in image pixels. */
export function intoImage(context: CanvasRenderingContext2D, view: View, ratio: number): void {
  context.setTransform(view.scale * ratio, 0, 0, view.scale * ratio, view.x * ratio, view.y * ratio)
}

/** From here on, what is drawn is in screen pixels. */
export function ontoScreen(context: CanvasRenderingContext2D, ratio: number): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
}

/** A line of the class's colour on black, so that it shows on any image. Confirmed shapes have the class's dash, suggested ones theirs. */
export function strokeOutline(context: CanvasRenderingContext2D, path: Path2D, { colour, dash }: Mark, confirmed: boolean, width: number, scale: number): void {
  const unit = 1 / scale
  context.lineJoin = 'round'
  context.setLineDash([])
  context.strokeStyle = confirmed ? halo : 'rgb(0 0 0 / 55%)'
  context.lineWidth = (width + 2) * unit
  context.stroke(path)
  context.strokeStyle = colour
  context.lineWidth = width * unit
  context.setLineDash((confirmed ? dash : suggestedDash).map((length) => length * unit))
  context.stroke(path)
  context.setLineDash([])
}
