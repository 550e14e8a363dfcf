/** The points of a map by the cells of a grid: what lies in a part of the map lies beside each other in memory too. No DOM here. */

export interface Bounds {
  left: number
  top: number
  right: number
  bottom: number
}

export interface SpatialIndex {
  bounds: Bounds
  /** Cells in a row, and rows. */
  side: number
  /** Width and height of a cell. */
  cell: readonly [width: number, height: number]
  /** Where the points of a cell begin in `order`, row by row, with the end of the last one behind it. */
  starts: Uint32Array
  /** The points, cell by cell. */
  order: Uint32Array
  /** Their x and y in that order, in turns. */
  xy: Float32Array
  /** Points in the cell that holds most. */
  densest: number
  /** How many squares of a grid over the whole map hold a point, for each number of squares in a row. */
  occupied: readonly (readonly [squares: number, holding: number])[]
}

const mostCells = 512
const pointsInCell = 4
const finest = 512

export function indexed(xy: Float32Array): SpatialIndex {
  const count = xy.length / 2
  const bounds = boundsOf(xy)
  const side = Math.min(mostCells, Math.max(1, Math.ceil(Math.sqrt(count / pointsInCell))))
  const cell = [(bounds.right - bounds.left) / side || 1, (bounds.bottom - bounds.top) / side || 1] as const
  const cells = new Uint32Array(count)
  const starts = new Uint32Array(side * side + 1)
  for (let index = 0; index < count; index += 1) {
    const column = Math.min(side - 1, Math.floor(((xy[2 * index] ?? 0) - bounds.left) / cell[0]))
    const row = Math.min(side - 1, Math.floor(((xy[2 * index + 1] ?? 0) - bounds.top) / cell[1]))
    const at = row * side + column
    cells[index] = at
    starts[at + 1] = (starts[at + 1] ?? 0) + 1
  }
  const densest = starts.reduce((most, points) => Math.max(most, points), 0)
  for (let at = 0; at < side * side; at += 1) starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0)
  const next = starts.slice(0, -1)
  const order = new Uint32Array(count)
  const sorted = new Float32Array(2 * count)
  for (let index = 0; index < count; index += 1) {
    const at = cells[index] ?? 0
    const place = next[at] ?? 0
    next[at] = place + 1
    order[place] = index
    sorted[2 * place] = xy[2 * index] ?? 0
    sorted[2 * place + 1] = xy[2 * index + 1] ?? 0
  }
  return { bounds, side, cell, starts, order, xy: sorted, densest, occupied: occupied(sorted, bounds) }
}

/** Calls `visit` with the points in each row of cells that touch a part of the map, as a stretch of `order`. */
export function visitPart({ bounds, side, cell, starts }: SpatialIndex, part: Bounds, visit: (from: number, to: number, row: number) => void): void {
  const column = (x: number) => Math.floor((x - bounds.left) / cell[0])
  const row = (y: number) => Math.floor((y - bounds.top) / cell[1])
  const [left, right] = [Math.max(0, column(part.left)), Math.min(side - 1, column(part.right))]
  // What lies on the last border of all belongs to the last cell.
  const [top, bottom] = [Math.max(0, row(part.top)), Math.min(side - 1, row(part.bottom))]
  const first = part.left <= bounds.right ? Math.min(left, side - 1) : side
  for (let at = part.top <= bounds.bottom ? Math.min(top, side - 1) : side; at <= bottom; at += 1) {
    const [from, to] = [starts[at * side + first] ?? 0, starts[at * side + right + 1] ?? 0]
    if (first <= right && from < to) visit(from, to, at)
  }
}

/** Points in the cells that touch a part of the map. */
export function countIn(index: SpatialIndex, part: Bounds): number {
  let count = 0
  visitPart(index, part, (from, to) => {
    count += to - from
  })
  return count
}

/**
 * The share of points that marks of this size would hide below others, over the whole map: it depends on the size alone, so
 * moving a map changes nothing. 0 for marks far smaller than the squares that were counted.
 */
export function hiddenShare({ bounds, order, occupied: counted }: SpatialIndex, mark: number): number {
  const wide = Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top)
  if (order.length === 0 || mark < wide / finest / 2) return 0
  const [, holding] = counted.find(([squares]) => wide / squares >= mark) ?? [1, 1]
  return 1 - holding / order.length
}

function boundsOf(xy: Float32Array): Bounds {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
  for (let at = 0; at < xy.length; at += 2) {
    const [x, y] = [xy[at] ?? 0, xy[at + 1] ?? 0]
    if (x < bounds.left) bounds.left = x
    if (x > bounds.right) bounds.right = x
    if (y < bounds.top) bounds.top = y
    if (y > bounds.bottom) bounds.bottom = y
  }
  return xy.length > 0 ? bounds : { left: 0, top: 0, right: 0, bottom: 0 }
}

function occupied(xy: Float32Array, { left, top, right, bottom }: Bounds): [number, number][] {
  const wide = Math.max(right - left, bottom - top) || 1
  let squares = finest
  let holds = new Uint8Array(squares * squares)
  for (let at = 0; at < xy.length; at += 2) {
    const column = Math.min(squares - 1, Math.floor((((xy[at] ?? 0) - left) / wide) * squares))
    const row = Math.min(squares - 1, Math.floor((((xy[at + 1] ?? 0) - top) / wide) * squares))
    holds[row * squares + column] = 1
  }
  const counted: [number, number][] = [[squares, sum(holds)]]
  while (squares > 8) {
    const half = squares / 2
    const coarser = new Uint8Array(half * half)
    for (let at = 0; at < holds.length; at += 1) {
      if (holds[at] === 1) coarser[(Math.floor(at / squares) >> 1) * half + ((at % squares) >> 1)] = 1
    }
    ;[squares, holds] = [half, coarser]
    counted.push([squares, sum(holds)])
  }
  return counted
}

function sum(values: Uint8Array): number {
  let total = 0
  for (const value of values) total += value
  return total
}
