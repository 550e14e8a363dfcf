export interface Cell {
  label: number
  predicted: number
}

/** How strongly a cell is coloured, 0..1: its share of the samples of its true class. */
export function strength(matrix: readonly (readonly number[])[], { label, predicted }: Cell): number {
  const row = matrix[label] ?? []
  const total = row.reduce((sum, samples) => sum + samples, 0)
  return total === 0 ? 0 : (row[predicted] ?? 0) / total
}

/** Errors are rare in a good model: the root makes one in a hundred visible. */
export function shade(share: number): number {
  return Math.round(Math.sqrt(share) * 50)
}

/** Pixels of one cell's side where the whole is to fit `width`; never so small that a pointer misses it. */
export function cellSide(width: number, classes: number): number {
  return Math.max(4, Math.floor(width / classes))
}

/** The cell under a place in the picture, or null outside. */
export function cellAt(x: number, y: number, side: number, classes: number): Cell | null {
  const [predicted, label] = [Math.floor(x / side), Math.floor(y / side)]
  const inside = predicted >= 0 && label >= 0 && predicted < classes && label < classes
  return inside ? { label, predicted } : null
}
