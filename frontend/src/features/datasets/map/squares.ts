import { quiet } from './inks'
import { type Bounds, type SpatialIndex, visitPart } from './spatial-index'

/** What lies in each square of a part of the map, row by row. */
export interface Squares {
  columns: number
  rows: number
  /** Points in colour, and quiet ones. */
  counts: Uint32Array
  quietCounts: Uint32Array
  /** The mark that more than half of the points in colour have, where one has, and by how many it leads. */
  marks: Uint16Array
  leads: Uint32Array
}

/** Squares over the whole map, counted once: a picture of a level costs the same for any number of points. */
export interface Level extends Squares {
  /** The side of a square, in the map's units. */
  square: number
  /** Points of the square that holds most. */
  most: number
}

const fewPoints = 50_000
const finest = 1024
const coarsest = 64

/** Levels from the finest, each with half the squares in a row of the one before. None for few points: those are counted in each frame. */
export function levelsOf(index: SpatialIndex, inks: Uint16Array): Level[] {
  const { bounds, order } = index
  if (order.length <= fewPoints) return []
  const wide = Math.max(bounds.right - bounds.left, bounds.bottom - bounds.top) * (1 + 1e-6) || 1
  const side = Math.min(finest, 2 ** Math.ceil(Math.log2(Math.sqrt(order.length))))
  const squares = emptySquares(side, side)
  const by = side / wide
  addPoints(squares, index, inks, bounds, [by, -bounds.left * by, -bounds.top * by])
  const levels = [{ ...squares, square: wide / side, most: mostOf(squares) }]
  for (let last = levels[0]; last && last.columns > coarsest; last = levels.at(-1)) {
    const half = halved(last)
    levels.push({ ...half, square: 2 * last.square, most: mostOf(half) })
  }
  return levels
}

export function emptySquares(columns: number, rows: number): Squares {
  const size = columns * rows
  return { columns, rows, counts: new Uint32Array(size), quietCounts: new Uint32Array(size), marks: new Uint16Array(size), leads: new Uint32Array(size) }
}

/** The same squares with nothing in them. */
export function emptied(squares: Squares): Squares {
  squares.counts.fill(0)
  squares.quietCounts.fill(0)
  squares.leads.fill(0)
  return squares
}

/** Adds the points of a part of the map; `column = x * by + offsetX`, and so for rows. */
export function addPoints(squares: Squares, index: SpatialIndex, inks: Uint16Array, part: Bounds, [by, offsetX, offsetY]: readonly [number, number, number]): void {
  const { columns, rows, counts, quietCounts, marks, leads } = squares
  const { xy } = index
  visitPart(index, part, (from, to) => {
    for (let place = from; place < to; place += 1) {
      const column = Math.floor((xy[2 * place] ?? 0) * by + offsetX)
      const row = Math.floor((xy[2 * place + 1] ?? 0) * by + offsetY)
      if (column < 0 || row < 0 || column >= columns || row >= rows) continue
      const at = row * columns + column
      const ink = inks[place] ?? quiet
      if (ink >= quiet) quietCounts[at] = (quietCounts[at] ?? 0) + 1
      else {
        counts[at] = (counts[at] ?? 0) + 1
        vote(marks, leads, at, ink, 1)
      }
    }
  })
}

/** Counts votes for the mark that leads (Boyer and Moore's majority vote). */
function vote(marks: Uint16Array, leads: Uint32Array, at: number, mark: number, votes: number): void {
  const lead = leads[at] ?? 0
  if (marks[at] === mark) leads[at] = lead + votes
  else if (lead >= votes) leads[at] = lead - votes
  else {
    marks[at] = mark
    leads[at] = votes - lead
  }
}

function halved(fine: Squares): Squares {
  const half = emptySquares(fine.columns / 2, fine.rows / 2)
  for (let row = 0; row < fine.rows; row += 1) {
    for (let column = 0; column < fine.columns; column += 1) {
      const from = row * fine.columns + column
      const to = (row >> 1) * half.columns + (column >> 1)
      half.quietCounts[to] = (half.quietCounts[to] ?? 0) + (fine.quietCounts[from] ?? 0)
      const points = fine.counts[from] ?? 0
      if (points === 0) continue
      half.counts[to] = (half.counts[to] ?? 0) + points
      vote(half.marks, half.leads, to, fine.marks[from] ?? 0, fine.leads[from] ?? 0)
    }
  }
  return half
}

function mostOf({ counts, quietCounts }: Squares): number {
  return Math.max(maximum(counts), maximum(quietCounts))
}

function maximum(values: Uint32Array): number {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}
