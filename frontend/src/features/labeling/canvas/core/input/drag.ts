import { cornersOf, type Corners, type Point, type Size, snapped } from '../geometry'
import type { Handle, Hit } from '../hit'
import { type CanvasPolygon, fewestPoints, type Shape } from '../shapes'

/** A shape as it becomes when a handle, point or side of it is dragged to `to`. */
export function dragged(shape: Shape, hit: Hit, to: Point, size: Size): Shape {
  const at = snapped(to, size)
  if (hit.on === 'handle' && shape.kind === 'box') return { ...shape, corners: pulled(shape.corners, hit.handle, at) }
  if (hit.on === 'vertex' && shape.kind === 'polygon') return withPoint(shape, hit.place, at)
  if (hit.on === 'side' && shape.kind === 'polygon') return withMorePoints(shape, hit.place, at)
  return shape
}

/** The corners with the sides that the handle holds at `to`; a side may pass its opposite. */
function pulled([x1, y1, x2, y2]: Corners, handle: Handle, to: Point): Corners {
  const a = { x: handle.includes('w') ? to.x : x1, y: handle.includes('n') ? to.y : y1 }
  const b = { x: handle.includes('e') ? to.x : x2, y: handle.includes('s') ? to.y : y2 }
  return cornersOf(a, b)
}

function withPoint(shape: CanvasPolygon, place: number, to: Point): CanvasPolygon {
  return { ...shape, points: shape.points.map((point, each) => (each === place ? to : point)) }
}

/** With a new point on the side that begins at `place`. */
export function withMorePoints(shape: CanvasPolygon, place: number, at: Point): CanvasPolygon {
  return { ...shape, points: shape.points.toSpliced(place + 1, 0, at), ...movedStarts(shape, place, 1) }
}

/** Without one of its points; unchanged when its part would have too few. */
export function withFewerPoints(shape: CanvasPolygon, place: number): CanvasPolygon {
  return canLose(shape, place) ? { ...shape, points: shape.points.toSpliced(place, 1), ...movedStarts(shape, place, -1) } : shape
}

/** Whether the part of a point has enough of them without it. */
export function canLose(shape: CanvasPolygon, place: number): boolean {
  const [first, end] = partAround(shape, place)
  return end - first > fewestPoints
}

/** The point that follows one in its part. */
export function pointAfter(shape: CanvasPolygon, place: number): Point | undefined {
  const [first, end] = partAround(shape, place)
  return shape.points[place + 1 < end ? place + 1 : first]
}

/** Where the part of a point begins, and where the next one does. */
function partAround({ points, starts = [] }: CanvasPolygon, place: number): [number, number] {
  return [starts.findLast((start) => start <= place) ?? 0, starts.find((start) => start > place) ?? points.length]
}

function movedStarts({ starts }: CanvasPolygon, place: number, by: 1 | -1): Pick<CanvasPolygon, 'starts'> {
  return starts ? { starts: starts.map((start) => (start > place ? start + by : start)) } : {}
}
