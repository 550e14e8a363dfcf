/** Points, boxes and outlines in absolute pixels of the upright image; corners lie between pixels, so 0 and the width are both inside. */

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** x1, y1, x2, y2 with x1 < x2 and y1 < y2. */
export type Corners = readonly [number, number, number, number]

/** A side shorter than this, in image pixels, is a slip of the hand. */
export const shortestSide = 1

export function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most))
}

export function inside(point: Point, size: Size): Point {
  return { x: clamp(point.x, 0, size.width), y: clamp(point.y, 0, size.height) }
}

/** On a corner between whole pixels, inside the image. */
export function snapped(point: Point, size: Size): Point {
  return inside({ x: Math.round(point.x), y: Math.round(point.y) }, size)
}

export function cornersOf(a: Point, b: Point): Corners {
  return [Math.min(a.x, b.x), Math.min(a.y, b.y), Math.max(a.x, b.x), Math.max(a.y, b.y)]
}

export function bounds(points: readonly Point[]): Corners {
  const xs = points.map((point) => point.x)
  const ys = points.map((point) => point.y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

export function isLargeEnough([x1, y1, x2, y2]: Corners): boolean {
  return x2 - x1 >= shortestSide && y2 - y1 >= shortestSide
}

/** The corners cut to the image. */
export function cut([x1, y1, x2, y2]: Corners, { width, height }: Size): Corners {
  return [clamp(x1, 0, width), clamp(y1, 0, height), clamp(x2, 0, width), clamp(y2, 0, height)]
}

/** The step of at most `by` that keeps what lies in `corners` inside the image. */
export function allowedStep([x1, y1, x2, y2]: Corners, by: Point, size: Size): Point {
  return { x: clamp(by.x, -x1, size.width - x2), y: clamp(by.y, -y1, size.height - y2) }
}

export function contains([x1, y1, x2, y2]: Corners, { x, y }: Point): boolean {
  return x >= x1 && x <= x2 && y >= y1 && y <= y2
}

export function boxArea([x1, y1, x2, y2]: Corners): number {
  return (x2 - x1) * (y2 - y1)
}

/** Of one ring. */
export function outlineArea(points: readonly Point[]): number {
  let twice = 0
  forEachSide(points, (a, b) => (twice += a.x * b.y - b.x * a.y))
  return Math.abs(twice) / 2
}

/** Whether the point lies in the ring, by the even-odd rule. */
export function isInOutline(points: readonly Point[], { x, y }: Point): boolean {
  let within = false
  forEachSide(points, (a, b) => {
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) within = !within
  })
  return within
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

export function distanceToSide(point: Point, a: Point, b: Point): number {
  const length = (b.x - a.x) ** 2 + (b.y - a.y) ** 2
  const share = length === 0 ? 0 : clamp(((point.x - a.x) * (b.x - a.x) + (point.y - a.y) * (b.y - a.y)) / length, 0, 1)
  return distance(point, { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) })
}

/** Whether a part of the line from a to b lies in the rectangle (Liang and Barsky's clipping). */
export function crosses(a: Point, b: Point, [x1, y1, x2, y2]: Corners): boolean {
  const [across, down] = [b.x - a.x, b.y - a.y]
  let [from, to] = [0, 1]
  for (const [run, room] of [[-across, a.x - x1], [across, x2 - a.x], [-down, a.y - y1], [down, y2 - a.y]] as const) {
    if (run === 0 && room < 0) return false
    if (run < 0) from = Math.max(from, room / run)
    if (run > 0) to = Math.min(to, room / run)
  }
  return from <= to
}

/** Each side of a closed outline with the place of its first point. */
export function forEachSide(points: readonly Point[], visit: (a: Point, b: Point, place: number) => void): void {
  points.forEach((a, place) => {
    const b = points[(place + 1) % points.length]
    if (b) visit(a, b, place)
  })
}
