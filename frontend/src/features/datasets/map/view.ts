import { type Bounds, type SpatialIndex, visitPart } from './spatial-index'

/** Where a map lies on the screen: `screen = map * scale + offset`, y downwards. No DOM here. */
export interface MapView {
  scale: number
  x: number
  y: number
}

export interface MapSize {
  width: number
  height: number
}

export type MapPoint = readonly [x: number, y: number]

const margin = 24
const closest = 400

/** The whole map in the middle of the screen. */
export function fitted({ left, right, top, bottom }: Bounds, { width, height }: MapSize): MapView {
  const room = (side: number) => Math.max(1, side - 2 * margin)
  const scale = Math.min(room(width) / Math.max(right - left, 1e-9), room(height) / Math.max(bottom - top, 1e-9))
  return { scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale }
}

/** The part of the map that is on the screen. */
export function partOf({ scale, x, y }: MapView, { width, height }: MapSize): Bounds {
  return { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale }
}

/** Closer by `factor`, with what lies at a place of the screen staying there; never out of reach. */
export function zoomed(view: MapView, factor: number, [x, y]: MapPoint, whole: MapView): MapView {
  const scale = Math.min(whole.scale * closest, Math.max(whole.scale / 2, view.scale * factor))
  const by = scale / view.scale
  return { scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by }
}

export function panned(view: MapView, dx: number, dy: number): MapView {
  return { ...view, x: view.x + dx, y: view.y + dy }
}

/** Two fingers that went from one pair of places to another: what was between them stays there. */
export function pinched(view: MapView, from: readonly [MapPoint, MapPoint], to: readonly [MapPoint, MapPoint], whole: MapView): MapView {
  const apart = ([[x1, y1], [x2, y2]]: readonly [MapPoint, MapPoint]) => Math.max(1, Math.hypot(x2 - x1, y2 - y1))
  const between = ([[x1, y1], [x2, y2]]: readonly [MapPoint, MapPoint]): MapPoint => [(x1 + x2) / 2, (y1 + y2) / 2]
  const [before, after] = [between(from), between(to)]
  return panned(zoomed(view, apart(to) / apart(from), before, whole), after[0] - before[0], after[1] - before[1])
}

/** Points of the map under a drawn line, which closes by itself: 1 for each inside. */
export function inside(index: SpatialIndex, view: MapView, line: readonly MapPoint[]): Uint8Array {
  const { order, xy, bounds, cell } = index
  const found = new Uint8Array(order.length)
  const border = line.map(([x, y]): MapPoint => [(x - view.x) / view.scale, (y - view.y) / view.scale])
  const sides = border.map((end, place): Side => [border.at(place - 1) ?? end, end])
  visitPart(index, around(border), (from, to, row) => {
    // A row is crossed by few sides of a long line.
    const [top, bottom] = [bounds.top + row * cell[1], bounds.top + (row + 1) * cell[1]]
    const near = sides.filter(([[, y1], [, y2]]) => Math.max(y1, y2) >= top - cell[1] && Math.min(y1, y2) <= bottom + cell[1])
    for (let place = from; place < to; place += 1) {
      if (crosses(near, xy[2 * place] ?? 0, xy[2 * place + 1] ?? 0)) found[order[place] ?? 0] = 1
    }
  })
  return found
}

type Side = readonly [MapPoint, MapPoint]

function around(border: readonly MapPoint[]): Bounds {
  const [xs, ys] = [border.map(([x]) => x), border.map(([, y]) => y)]
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

/** Whether a ray from the point crosses the border an odd number of times. */
function crosses(sides: readonly Side[], x: number, y: number): boolean {
  let odd = false
  for (const [[x1, y1], [x2, y2]] of sides) {
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) odd = !odd
  }
  return odd
}

/** A rectangle as a line. */
export function rectangle([x1, y1]: MapPoint, [x2, y2]: MapPoint): MapPoint[] {
  return [
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
  ]
}

/** The point nearest to a place of the screen, at most `reach` px away; null where there is none. */
export function nearest(index: SpatialIndex, view: MapView, [x, y]: MapPoint, reach: number): number | null {
  const { order, xy } = index
  const part = partOf({ ...view, x: view.x - x + reach, y: view.y - y + reach }, { width: 2 * reach, height: 2 * reach })
  let found: number | null = null
  let least = reach * reach
  visitPart(index, part, (from, to) => {
    for (let place = from; place < to; place += 1) {
      const dx = (xy[2 * place] ?? 0) * view.scale + view.x - x
      const dy = (xy[2 * place + 1] ?? 0) * view.scale + view.y - y
      const distance = dx * dx + dy * dy
      if (distance > least) continue
      least = distance
      found = order[place] ?? null
    }
  })
  return found
}

/** The point nearest to a place, however far. */
export function nearestOfAll(index: SpatialIndex, view: MapView, place: MapPoint): number | null {
  const { left, right, top, bottom } = index.bounds
  const corners = [left, right].flatMap((x) => [top, bottom].map((y) => Math.hypot(x * view.scale + view.x - place[0], y * view.scale + view.y - place[1])))
  const farthest = Math.max(...corners) + 1
  for (let reach = 8; ; reach *= 4) {
    const found = nearest(index, view, place, Math.min(reach, farthest))
    if (found !== null || reach >= farthest) return found
  }
}
