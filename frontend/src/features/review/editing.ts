import type { BoxShape, PolygonShape, Ring, ShapesValue } from '../../shared/api/types'
import { polygonRings, withRings } from '../../shared/format/labels'

type Corners = BoxShape['box']
type Part = BoxShape | PolygonShape

/** Shapes that are being corrected. */
export interface Editing {
  shapes: ShapesValue
  /** Which shape is chosen: of the boxes, then of the polygons. */
  selected: number | null
  /** The class of the next shape that is drawn. */
  brush: string
  /** What is drawn. */
  draws: 'boxes' | 'polygons'
  /** Of the image, in px. */
  width: number
  height: number
}

export interface ImagePoint {
  x: number
  y: number
}

/** Thinner boxes than this are slips of the hand. */
const thinnest = 2

function isBox(part: Part): part is BoxShape {
  return 'box' in part
}

export function partsOf({ boxes, polygons = [] }: ShapesValue): Part[] {
  return [...boxes, ...polygons]
}

/** Chooses the smallest shape around a place: inside a large one, the small one is meant. */
export function chosenAt(editing: Editing, { x, y }: ImagePoint): Editing {
  const around = partsOf(editing.shapes)
    .map(boundsOf)
    .map(([x1, y1, x2, y2], place) => ({ place, area: (x2 - x1) * (y2 - y1), inside: x1 <= x && x <= x2 && y1 <= y && y <= y2 }))
    .filter(({ inside }) => inside)
    .sort((a, b) => a.area - b.area)
  return { ...editing, selected: around[0]?.place ?? null }
}

/** Dragged from one corner to the other: a box, or a polygon of four points to begin with. */
export function drawn(editing: Editing, from: ImagePoint, to: ImagePoint): Editing {
  const box = ordered([from.x, from.y, to.x, to.y], editing)
  const [x1, y1, x2, y2] = box
  if (x2 - x1 < thinnest || y2 - y1 < thinnest) return chosenAt(editing, to)
  const part: Part = editing.draws === 'boxes' ? { class: editing.brush, box } : { class: editing.brush, points: [[x1, y1], [x2, y1], [x2, y2], [x1, y2]] }
  const next = withParts(editing, [...partsOf(editing.shapes), part])
  return { ...next, selected: partsOf(next.shapes).indexOf(part) }
}

export function removed(editing: Editing): Editing {
  const rest = partsOf(editing.shapes).filter((_, place) => place !== editing.selected)
  return { ...withParts(editing, rest), selected: rest.length === 0 ? null : Math.min(editing.selected ?? 0, rest.length - 1) }
}

/** The class of the chosen shape, and of the next one that is drawn. */
export function classed(editing: Editing, name: string): Editing {
  return { ...changed(editing, (part) => ({ ...part, class: name })), brush: name }
}

export function stepped(editing: Editing, step: 1 | -1): Editing {
  const { length } = partsOf(editing.shapes)
  if (length === 0) return editing
  const from = editing.selected ?? (step === 1 ? -1 : 0)
  return { ...editing, selected: (from + step + length) % length }
}

/** Moves the chosen shape inside the image. */
export function moved(editing: Editing, dx: number, dy: number): Editing {
  return changed(editing, (part) => {
    const [x1, y1, x2, y2] = boundsOf(part)
    const right = Math.min(Math.max(dx, -x1), editing.width - x2)
    const down = Math.min(Math.max(dy, -y1), editing.height - y2)
    if (isBox(part)) return { ...part, box: [x1 + right, y1 + down, x2 + right, y2 + down] }
    return withPoints(part, ([x, y]) => [x + right, y + down])
  })
}

/** Moves one corner of the chosen box; the opposite one stays. */
export function pulled(editing: Editing, corner: Corner, to: ImagePoint): Editing {
  return changed(editing, (part) => {
    if (!isBox(part)) return part
    const [x1, y1, x2, y2] = part.box
    return { ...part, box: [corner.left ? to.x : x1, corner.top ? to.y : y1, corner.left ? x2 : to.x, corner.top ? y2 : to.y] }
  })
}

/** Moves one point of the chosen polygon. */
export function bent(editing: Editing, point: number, to: ImagePoint): Editing {
  return changed(editing, (part) => (isBox(part) ? part : withPoints(part, (each, place) => (place === point ? [to.x, to.y] : each))))
}

/** One more point of the chosen polygon, on the side that begins with `side`. */
export function parted(editing: Editing, side: number, { x, y }: ImagePoint): Editing {
  return changed(editing, (part) => {
    if (isBox(part)) return part
    let before = 0
    return withRings(part, polygonRings(part).map((ring) => {
      const place = side - before
      before += ring.length
      return place >= 0 && place < ring.length ? ring.toSpliced(place + 1, 0, [x, y]) : ring
    }))
  })
}

/** Each point of a polygon, part by part, and the one that follows it in its part. */
export function pointsOf(polygon: PolygonShape): { at: Ring[number]; next: Ring[number] }[] {
  return polygonRings(polygon).flatMap((ring) => ring.map((at, place) => ({ at, next: ring[(place + 1) % ring.length] ?? at })))
}

/** The polygon with each of its points changed; `place` counts through all parts. */
function withPoints(polygon: PolygonShape, change: (point: Ring[number], place: number) => Ring[number]): PolygonShape {
  let place = 0
  return withRings(polygon, polygonRings(polygon).map((ring) => ring.map((point) => change(point, place++))))
}

export interface Corner {
  left: boolean
  top: boolean
}

/** Once the hand lets go: no corner crosses another, nothing is thinner than a slip, and a point on its neighbour is gone. */
export function settled(editing: Editing): Editing {
  return changed(editing, (part) => {
    if (!isBox(part)) return withRings(part, polygonRings(part).map((ring) => apart(ring.map((point) => inside(point, editing)))))
    const [x1, y1, x2, y2] = ordered(part.box, editing)
    return { ...part, box: [x1, y1, Math.max(x2, Math.min(x1 + thinnest, editing.width)), Math.max(y2, Math.min(y1 + thinnest, editing.height))] }
  })
}

function apart(points: Ring): Ring {
  const far = points.filter(([x, y], place) => {
    const [beforeX, beforeY] = points.at(place - 1) ?? [x, y]
    return Math.hypot(x - beforeX, y - beforeY) >= thinnest
  })
  return far.length < 3 ? points : far
}

function changed(editing: Editing, change: (part: Part) => Part): Editing {
  return withParts(editing, partsOf(editing.shapes).map((part, place) => (place === editing.selected ? change(part) : part)))
}

function withParts(editing: Editing, parts: readonly Part[]): Editing {
  const boxes = parts.filter(isBox)
  const polygons = parts.filter((part): part is PolygonShape => !isBox(part))
  return { ...editing, shapes: { ...editing.shapes, boxes, ...(polygons.length > 0 || editing.shapes.polygons ? { polygons } : {}) } }
}

export function boundsOf(part: Part): Corners {
  if (isBox(part)) return part.box
  const points = polygonRings(part).flat()
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

function inside([x, y]: readonly [number, number], { width, height }: Editing): [number, number] {
  return [Math.min(Math.max(round(x), 0), width), Math.min(Math.max(round(y), 0), height)]
}

function ordered([x1, y1, x2, y2]: Corners, editing: Editing): Corners {
  return [...inside([Math.min(x1, x2), Math.min(y1, y2)], editing), ...inside([Math.max(x1, x2), Math.max(y1, y2)], editing)]
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
