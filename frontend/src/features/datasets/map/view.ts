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
export function fitted(xy: Float32Array, { width, height }: MapSize): MapView {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let at = 0; at < xy.length; at += 2) {
    const [x, y] = [xy[at] ?? 0, xy[at + 1] ?? 0]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  if (left > right) return { scale: 1, x: 0, y: 0 }
  const room = (side: number) => Math.max(1, side - 2 * margin)
  const scale = Math.min(room(width) / Math.max(right - left, 1e-9), room(height) / Math.max(bottom - top, 1e-9))
  return { scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale }
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

/** Points of the map under a drawn line, which closes by itself: 1 for each inside. */
export function inside(xy: Float32Array, view: MapView, line: readonly MapPoint[]): Uint8Array {
  const found = new Uint8Array(xy.length / 2)
  const border = line.map(([x, y]): MapPoint => [(x - view.x) / view.scale, (y - view.y) / view.scale])
  const xs = border.map(([x]) => x)
  const ys = border.map(([, y]) => y)
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  for (let index = 0; index < found.length; index += 1) {
    const [x, y] = [xy[2 * index] ?? 0, xy[2 * index + 1] ?? 0]
    if (x >= left && x <= right && y >= top && y <= bottom && crosses(border, x, y)) found[index] = 1
  }
  return found
}

/** Whether a ray from the point crosses the border an odd number of times. */
function crosses(border: readonly MapPoint[], x: number, y: number): boolean {
  let odd = false
  let [x1, y1] = border.at(-1) ?? [0, 0]
  for (const [x2, y2] of border) {
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) odd = !odd
    ;[x1, y1] = [x2, y2]
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
export function nearest(xy: Float32Array, view: MapView, [x, y]: MapPoint, reach = 8): number | null {
  let found: number | null = null
  let least = reach * reach
  for (let index = 0; index < xy.length / 2; index += 1) {
    const dx = (xy[2 * index] ?? 0) * view.scale + view.x - x
    const dy = (xy[2 * index + 1] ?? 0) * view.scale + view.y - y
    const distance = dx * dx + dy * dy
    if (distance > least) continue
    least = distance
    found = index
  }
  return found
}
