/** Sizes of the virtual grid, in px and items. No DOM here, so that the arithmetic can be tested. */

export const windowSize = 200
/** Tiles mounted at once, overscan included: more makes scrolling stutter. */
export const mostTiles = 100
export const captionHeight = 24
export const gap = 8
/** Rows kept ready beyond the visible ones, on each side. */
export const overscan = 1

export interface Layout {
  columns: number
  /** Width of a tile. */
  tile: number
  rowHeight: number
}

/** Fills the width with tiles at least `wanted` wide, larger where a big screen would otherwise mount too many. */
export function layout(width: number, height: number, wanted: number): Layout {
  for (let size = wanted; ; size += 8) {
    const columns = Math.max(1, Math.floor((width + gap) / (size + gap)))
    const tile = Math.floor((width + gap) / columns) - gap
    const rowHeight = tile + captionHeight + gap
    const rows = Math.ceil(height / rowHeight) + 1 + 2 * overscan
    if (columns * rows <= mostTiles || columns === 1) return { columns, tile, rowHeight }
  }
}

export function rowCount(total: number, columns: number): number {
  return Math.ceil(total / columns)
}

/** Offsets of the windows that hold items `first` to `last` (inclusive). */
export function windowsFor(first: number, last: number, total: number): number[] {
  if (total === 0) return [0]
  const begin = Math.floor(Math.max(0, first) / windowSize)
  const end = Math.floor(Math.min(total - 1, Math.max(first, last)) / windowSize)
  return Array.from({ length: Math.max(1, end - begin + 1) }, (_, index) => (begin + index) * windowSize)
}

export type Move = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End' | 'PageUp' | 'PageDown'

const rowsPerPage = 4

/** Where the focus goes; it stops at the ends, and a move up or down keeps its column. */
export function moved(index: number, move: Move, { total, columns }: { total: number; columns: number }): number {
  const steps: Record<Move, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * rowsPerPage,
    PageDown: columns * rowsPerPage,
    Home: -Infinity,
    End: Infinity,
  }
  const target = index + steps[move]
  const sideways = move === 'ArrowUp' || move === 'ArrowDown'
  if (sideways && (target < 0 || target >= total)) return index
  return Math.min(Math.max(0, target), Math.max(0, total - 1))
}
