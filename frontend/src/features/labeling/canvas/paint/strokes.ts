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
  const inImage = (lengths: readonly number[]) => lengths.map((length) => length * unit)
  context.lineJoin = 'round'
  context.setLineDash(confirmed ? [] : inImage(suggestedDash))
  context.strokeStyle = halo
  context.lineWidth = (width + 2) * unit
  context.stroke(path)
  context.strokeStyle = colour
  context.lineWidth = width * unit
  if (confirmed) context.setLineDash(inImage(dash))
  context.stroke(path)
  context.setLineDash([])
}
