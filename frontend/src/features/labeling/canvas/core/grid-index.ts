import type { Corners, Point } from './geometry'
import { extent, type Shape } from './shapes'

const cellsAcross = 32

/** Finds the shapes near a point without asking each: a grid of cells over the image, each with the shapes that reach into it. */
export class GridIndex {
  private readonly cells = new Map<number, Shape[]>()
  private readonly cell: number

  constructor(shapes: readonly Shape[], longestSide: number) {
    this.cell = Math.max(1, longestSide / cellsAcross)
    for (const shape of shapes) {
      this.eachCell(extent(shape), (key) => {
        const there = this.cells.get(key)
        if (there) there.push(shape)
        else this.cells.set(key, [shape])
      })
    }
  }

  /** Shapes whose extent may come within `reach` of the point, each once. */
  near({ x, y }: Point, reach: number): Shape[] {
    return this.reaching([x - reach, y - reach, x + reach, y + reach])
  }

  /** Shapes whose extent may reach into the rectangle, each once. */
  reaching(rectangle: Corners): Shape[] {
    const found = new Set<Shape>()
    this.eachCell(rectangle, (key) => {
      for (const shape of this.cells.get(key) ?? []) found.add(shape)
    })
    return [...found]
  }

  private eachCell([x1, y1, x2, y2]: Corners, visit: (key: number) => void): void {
    for (let row = this.place(y1); row <= this.place(y2); row += 1) {
      for (let column = this.place(x1); column <= this.place(x2); column += 1) visit(row * 1_000 + column)
    }
  }

  /** Just outside the image there is one more row and column of cells. */
  private place(value: number): number {
    return Math.min(cellsAcross + 1, Math.max(0, Math.floor(value / this.cell) + 1))
  }
}
