import { contains, type Corners, crosses, distance, distanceToSide, isInOutline, type Point } from './geometry'
import type { GridIndex } from './grid-index'
import { area, type CanvasPolygon, extent, forEachSideOf, ringsOf, type Shape } from './shapes'

/** A box's eight handles: which sides each moves. */
export const handles = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'] as const
export type Handle = (typeof handles)[number]

export type Hit =
  | { on: 'handle'; id: number; handle: Handle }
  | { on: 'vertex'; id: number; place: number }
  /** The side of a polygon that begins at this point. */
  | { on: 'side'; id: number; place: number }
  | { on: 'shape'; id: number }

export function handlePoint(shape: Shape & { kind: 'box' }, handle: Handle): Point {
  const [x1, y1, x2, y2] = shape.corners
  const x = handle.includes('w') ? x1 : handle.includes('e') ? x2 : (x1 + x2) / 2
  const y = handle.includes('n') ? y1 : handle.includes('s') ? y2 : (y1 + y2) / 2
  return { x, y }
}

/** A handle or point of the selected shape, which others may lie over. */
export function hitSelected(shape: Shape, point: Point, reach: number): Hit | null {
  if (shape.kind === 'box') {
    const nearest = closest(handles, (handle) => distance(handlePoint(shape, handle), point), reach)
    return nearest === null ? null : { on: 'handle', id: shape.id, handle: nearest }
  }
  const places = shape.points.map((_, place) => place)
  const nearest = closest(places, (place) => distance(shape.points[place] ?? point, point), reach)
  if (nearest !== null) return { on: 'vertex', id: shape.id, place: nearest }
  const side = sideAt(shape, point, reach)
  return side === null ? null : { on: 'side', id: shape.id, place: side }
}

/** The shape under the point: one whose line is near, else the smallest around it, so that a nested one can be reached. */
export function hitShape(index: GridIndex, point: Point, reach: number): Hit | null {
  const near = index.near(point, reach)
  const onLine = closest(near, (shape) => distanceToLine(shape, point), reach)
  const around = near.filter((shape) => isAround(shape, point))
  const found = onLine ?? closest(around, area, Infinity)
  return found === null ? null : { on: 'shape', id: found.id }
}

/**
 * The shapes whose line lies in the rectangle, all of it or a part.
 *
 * A shape that the rectangle lies inside of is not among them: of a roof's windows the roof is not meant.
 */
export function touchedBy(index: GridIndex, rectangle: Corners): Shape[] {
  return index.reaching(rectangle).filter((shape) => {
    let crossings = 0
    forEachSideOf(outlineOf(shape), (a, b) => (crossings += crosses(a, b, rectangle) ? 1 : 0))
    return crossings > 0
  })
}

/** The place of the side that passes within `reach`, if one does. */
export function sideAt(shape: Pick<CanvasPolygon, 'points' | 'starts'>, point: Point, reach: number): number | null {
  const sides: { place: number; away: number }[] = []
  forEachSideOf(shape, (a, b, place) => sides.push({ place, away: distanceToSide(point, a, b) }))
  return closest(sides, (side) => side.away, reach)?.place ?? null
}

function distanceToLine(shape: Shape, point: Point): number {
  let least = Infinity
  forEachSideOf(outlineOf(shape), (a, b) => (least = Math.min(least, distanceToSide(point, a, b))))
  return least
}

function isAround(shape: Shape, point: Point): boolean {
  return shape.kind === 'box' ? contains(extent(shape), point) : ringsOf(shape).some((ring) => isInOutline(ring, point))
}

function outlineOf(shape: Shape): Pick<CanvasPolygon, 'points' | 'starts'> {
  if (shape.kind === 'polygon') return shape
  const [x1, y1, x2, y2] = shape.corners
  return { points: [{ x: x1, y: y1 }, { x: x2, y: y1 }, { x: x2, y: y2 }, { x: x1, y: y2 }] }
}

function closest<T>(all: readonly T[], measure: (one: T) => number, limit: number): T | null {
  let best: T | null = null
  let least = limit
  for (const one of all) {
    const measured = measure(one)
    if (measured > least || (best !== null && measured === least)) continue
    best = one
    least = measured
  }
  return best
}
