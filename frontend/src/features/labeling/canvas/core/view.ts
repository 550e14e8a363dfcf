import { clamp, type Corners, type Point, type Size } from './geometry'

/** Where the image lies on the screen: a point p of the image is shown at p * scale + offset, in CSS pixels. */
export interface CanvasView {
  readonly scale: number
  readonly x: number
  readonly y: number
}

const margin = 24
const leastScale = 0.02
const mostScale = 64
/** This much of the image, in screen pixels, stays in sight however far it is moved. */
const inSight = 48
const rounding = 0.5

export function toScreen(view: CanvasView, { x, y }: Point): Point {
  return { x: x * view.scale + view.x, y: y * view.scale + view.y }
}

export function toImage(view: CanvasView, { x, y }: Point): Point {
  return { x: (x - view.x) / view.scale, y: (y - view.y) / view.scale }
}

/** The whole image in the middle of the room. */
export function fit(image: Size, room: Size): CanvasView {
  return shown([0, 0, image.width, image.height], room, mostScale / 4)
}

/** A part of the image in the middle of the room, with `share` of its longer side around it on each side. */
export function zoomTo(part: Corners, room: Size, share = 1 / 2): CanvasView {
  const [x1, y1, x2, y2] = part
  const around = Math.max(x2 - x1, y2 - y1) * share
  return shown([x1 - around, y1 - around, x2 + around, y2 + around], room, mostScale / 4)
}

function shown([x1, y1, x2, y2]: Corners, room: Size, most: number): CanvasView {
  const wide = Math.max(1, room.width - 2 * margin)
  const high = Math.max(1, room.height - 2 * margin)
  const scale = clamp(Math.min(wide / (x2 - x1), high / (y2 - y1)), leastScale, most)
  return { scale, x: (room.width - (x1 + x2) * scale) / 2, y: (room.height - (y1 + y2) * scale) / 2 }
}

/** Larger or smaller by `factor`, with the point of the image that is under `at` staying there. */
export function zoomAt(view: CanvasView, at: Point, factor: number): CanvasView {
  const scale = clamp(view.scale * factor, leastScale, mostScale)
  const fixed = toImage(view, at)
  return { scale, x: at.x - fixed.x * scale, y: at.y - fixed.y * scale }
}

/** Moved by screen pixels, never quite out of sight. */
export function panned(view: CanvasView, by: Point, image: Size, room: Size): CanvasView {
  const x = clamp(view.x + by.x, inSight - image.width * view.scale, room.width - inSight)
  const y = clamp(view.y + by.y, inSight - image.height * view.scale, room.height - inSight)
  return { ...view, x, y }
}

/** The nearest view of the same scale in which the part can be seen, or the same view when it already can. */
export function bringIntoView(view: CanvasView, [x1, y1, x2, y2]: Corners, room: Size): CanvasView {
  const from = toScreen(view, { x: x1, y: y1 })
  const to = toScreen(view, { x: x2, y: y2 })
  return { ...view, x: view.x + shift(from.x, to.x, room.width), y: view.y + shift(from.y, to.y, room.height) }
}

function shift(from: number, to: number, room: number): number {
  if (from >= margin - rounding && to <= room - margin + rounding) return 0
  if (to - from > room - 2 * margin) return room / 2 - (from + to) / 2
  return from < margin ? margin - from : room - margin - to
}
