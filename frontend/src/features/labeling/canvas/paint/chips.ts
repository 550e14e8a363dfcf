import { extent, type Shape } from '../core/shapes'
import { toScreen, type CanvasView } from '../core/view'
import type { Marks } from './marks'

const height = 16
const padding = 4
/** On a shape narrower than this a name would hide more than it tells. */
const narrowest = 24
const font = '500 11px "Inter Variable", system-ui, sans-serif'

/** The class, and of a suggestion how sure the model is. */
export function chipText({ class: name, confirmed, score }: Shape): string {
  if (confirmed) return name
  return score === null ? `${name}?` : `${name} ${score.toFixed(2)}?`
}

export function paintChips(context: CanvasRenderingContext2D, shapes: readonly Shape[], view: CanvasView, marks: Marks): void {
  context.font = font
  context.textBaseline = 'middle'
  for (const shape of shapes) {
    const [x1, , x2] = extent(shape)
    if ((x2 - x1) * view.scale >= narrowest) paintChip(context, shape, view, marks)
  }
}

export function paintChip(context: CanvasRenderingContext2D, shape: Shape, view: CanvasView, marks: Marks): void {
  const { colour, ink } = marks.of(shape.class)
  const [x1, y1] = extent(shape)
  const at = toScreen(view, { x: x1, y: y1 })
  const text = chipText(shape)
  context.font = font
  context.textBaseline = 'middle'
  const width = Math.ceil(context.measureText(text).width) + 2 * padding
  // Above the shape, or inside it at the upper edge of the stage.
  const top = at.y - height - 2 < 0 ? at.y + 2 : at.y - height - 2
  context.fillStyle = colour
  context.fillRect(Math.round(at.x) - 1, Math.round(top), width, height)
  context.fillStyle = ink
  context.fillText(text, Math.round(at.x) - 1 + padding, Math.round(top) + height / 2 + 0.5)
}
