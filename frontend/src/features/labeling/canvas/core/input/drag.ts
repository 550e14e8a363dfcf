import { cornersOf, type Corners, type Point, type Size, snapped } from '../geometry'
import type { Handle, Hit } from '../hit'
import { fewestPoints, type CanvasPolygon, type Shape } from '../shapes'

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
  return { ...shape, points: shape.points.toSpliced(place + 1, 0, at) }
}

/** Without one of its points; unchanged when too few would be left. */
export function withFewerPoints(shape: CanvasPolygon, place: number): CanvasPolygon {
  return shape.points.length <= fewestPoints ? shape : { ...shape, points: shape.points.toSpliced(place, 1) }
}
