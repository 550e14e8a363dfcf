/** Where a selection is cut. Scores of picks come with the highest first. */

/** How many picks a cut leaves. */
export function keptBy(picked: readonly number[], cut: number | null): number {
  return cut === null ? picked.length : picked.filter((score) => score >= cut).length
}

/** The score of the lowest pick that is at least this high; the highest where none is, null where nothing is cut. */
export function snapped(picked: readonly number[], score: number): number | null {
  const kept = Math.max(1, keptBy(picked, score))
  return kept >= picked.length ? null : (picked[kept - 1] ?? null)
}

const moves: Record<string, number> = { ArrowRight: -1, ArrowUp: -1, ArrowLeft: 1, ArrowDown: 1, PageUp: -10, PageDown: 10, Home: Infinity, End: -Infinity }

/** The cut after a key: so many scores up or down; undefined for a key that moves nothing. Equal scores go together. */
export function movedCut(picked: readonly number[], cut: number | null, key: string): number | null | undefined {
  const by = moves[key]
  if (by === undefined) return undefined
  const levels = [...new Set(picked)]
  const at = cut === null ? levels.length - 1 : levels.findLastIndex((score) => score >= cut)
  return snapped(picked, levels[Math.min(levels.length - 1, Math.max(0, at + by))] ?? 0)
}
