import type { Carried } from '../../../../shared/api/types'
import { cutToImage } from './clipping'
import { allowedStep, bounds, type Corners, cut, forEachSide, isLargeEnough, outlineArea, type Point, shortestSide, type Size, boxArea } from './geometry'

interface Marked {
  readonly id: number
  readonly class: string
  /** Only what a person has confirmed becomes a label. */
  readonly confirmed: boolean
  /** How sure the model was; null for what a person drew, now or in a label that is asked about. */
  readonly score: number | null
  /** It was there when the image came, to be confirmed. */
  readonly suggested?: boolean
  /** Its attributes, id and track, which stay with it whatever is done to it; absent when it has none. */
  readonly carried?: Carried
}

export interface CanvasBox extends Marked {
  readonly kind: 'box'
  readonly corners: Corners
}

export interface CanvasPolygon extends Marked {
  readonly kind: 'polygon'
  /** Three or more of each part, one part after the other; the last of a part joins its first. */
  readonly points: readonly Point[]
  /** Where each further part begins among the points; absent with an object of one part. */
  readonly starts?: readonly number[] | undefined
}

export type Shape = CanvasBox | CanvasPolygon

/** What a shape is before it has an id. */
export type Outline = Pick<CanvasBox, 'kind' | 'corners'> | Pick<CanvasPolygon, 'kind' | 'points' | 'starts'>

export const fewestPoints = 3
/** Of a triangle between whole pixels. */
const leastArea = 0.5

/** The points of each part of a polygon. */
export function ringsOf({ points, starts = [] }: Pick<CanvasPolygon, 'points' | 'starts'>): (readonly Point[])[] {
  return [0, ...starts].map((start, part) => points.slice(start, starts[part] ?? points.length))
}

/** A polygon of these parts. */
export function ofRings(rings: readonly (readonly Point[])[]): Pick<CanvasPolygon, 'points' | 'starts'> {
  const starts = rings.slice(1).map((_, part) => rings.slice(0, part + 1).reduce((sum, ring) => sum + ring.length, 0))
  return { points: rings.flat(), starts: starts.length > 0 ? starts : undefined }
}

/** Each side of each part, with the place of its first point among all. */
export function forEachSideOf(polygon: Pick<CanvasPolygon, 'points' | 'starts'>, visit: (a: Point, b: Point, place: number) => void): void {
  let start = 0
  for (const ring of ringsOf(polygon)) {
    const first = start
    forEachSide(ring, (a, b, place) => visit(a, b, first + place))
    start += ring.length
  }
}

export function extent(shape: Outline): Corners {
  return shape.kind === 'box' ? shape.corners : bounds(shape.points)
}

export function area(shape: Outline): number {
  return shape.kind === 'box' ? boxArea(shape.corners) : ringsOf(shape).reduce((sum, ring) => sum + outlineArea(ring), 0)
}

/** Whether it is more than a slip of the hand: large enough, of enough points, and those not all on one line. */
export function isSound(shape: Outline): boolean {
  if (!isLargeEnough(extent(shape))) return false
  return shape.kind === 'box' || (ringsOf(shape).every((ring) => ring.length >= fewestPoints) && area(shape) >= leastArea)
}

/** Around all of the shapes; of none, nowhere. */
export function extentOf(shapes: readonly Outline[]): Corners {
  const extents = shapes.map(extent)
  const least = (place: 0 | 1) => Math.min(...extents.map((corners) => corners[place]))
  const most = (place: 2 | 3) => Math.max(...extents.map((corners) => corners[place]))
  return [least(0), least(1), most(2), most(3)]
}

/** All of them further by `by`, or as far as the image's edge allows the outermost. */
export function movedTogether<S extends Outline>(shapes: readonly S[], by: Point, size: Size): S[] {
  const step = allowedStep(extentOf(shapes), by, size)
  return shapes.map((shape) => shifted(shape, step))
}

function shifted<S extends Outline>(shape: S, step: Point): S {
  if (shape.kind === 'polygon') {
    return { ...shape, points: shape.points.map(({ x, y }) => ({ x: x + step.x, y: y + step.y })) }
  }
  const [x1, y1, x2, y2] = shape.corners
  return { ...shape, corners: [x1 + step.x, y1 + step.y, x2 + step.x, y2 + step.y] }
}

/** The shape with its right and bottom sides moved; a polygon is stretched from its top left corner. */
export function grown<S extends Outline>(shape: S, by: Point, size: Size): S {
  const [x1, y1, x2, y2] = extent(shape)
  const right = Math.max(x1 + shortestSide, Math.min(x2 + by.x, size.width))
  const bottom = Math.max(y1 + shortestSide, Math.min(y2 + by.y, size.height))
  if (shape.kind === 'box') return { ...shape, corners: [x1, y1, right, bottom] }
  const across = (right - x1) / (x2 - x1)
  const down = (bottom - y1) / (y2 - y1)
  return { ...shape, points: shape.points.map(({ x, y }) => ({ x: x1 + (x - x1) * across, y: y1 + (y - y1) * down })) }
}

/** Cut to an image, perhaps another one than it was drawn on; null when nothing worth keeping is left. */
export function fittedTo<S extends Outline>(shape: S, size: Size): S | null {
  const fitted = shape.kind === 'box' ? { ...shape, corners: cut(shape.corners, size) } : { ...shape, ...cutPolygon(shape, size) }
  return isSound(fitted) ? fitted : null
}

function cutPolygon({ points, starts }: Pick<CanvasPolygon, 'points' | 'starts'>, size: Size): Pick<CanvasPolygon, 'points' | 'starts'> {
  const isInside = points.every(({ x, y }) => x >= 0 && y >= 0 && x <= size.width && y <= size.height)
  return isInside ? { points, starts } : ofRings(ringsOf({ points, starts }).flatMap((ring) => cutToImage(ring, size)))
}

/** Least sure first; what a person drew comes last, in the order of drawing. */
export function byDoubt(shapes: readonly Shape[]): Shape[] {
  return shapes.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id)
}

/** Of the undecided, the least sure that comes after this one in that order, or from the beginning. */
export function nextDoubtful(undecided: readonly Shape[], after: Shape | null): Shape | undefined {
  const order = byDoubt(undecided)
  const next = after && order.find((shape) => rank(shape) > rank(after) || (rank(shape) === rank(after) && shape.id > after.id))
  return next ?? order[0]
}

/** Whether it is as sure as that; what a person drew always is. */
export function reaches(shape: Shape, score: number): boolean {
  return (shape.score ?? 1) >= score
}

function rank(shape: Shape): number {
  return shape.score ?? 2
}
