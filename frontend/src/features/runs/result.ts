/** A class with how well it is found, from 0 to 1. */
export interface ClassFigure {
  name: string
  value: number
}

/** How many classes at each end are named. */
const most = 3

/** The classes that an evaluation found best, and those it found worst, worst first; no class is in both. */
export function extremes(metrics: Record<string, unknown>, figure: string): { best: ClassFigure[]; worst: ClassFigure[] } {
  const byClass = Object.entries(record(metrics.per_class)).flatMap(([name, figures]) => {
    const value = record(figures)[figure]
    return typeof value === 'number' ? [{ name, value }] : []
  })
  const sorted = byClass.toSorted((a, b) => b.value - a.value || a.name.localeCompare(b.name))
  const each = Math.min(most, Math.floor(sorted.length / 2))
  return { best: sorted.slice(0, each), worst: sorted.slice(sorted.length - each).reverse() }
}

/** How far the best class may be from the worst while no class is called bad. */
const alike = 0.05

/** Whether no class stands out. */
export function areAlike(best: readonly ClassFigure[], worst: readonly ClassFigure[]): boolean {
  const [first] = best
  const [last] = worst
  return first !== undefined && last !== undefined && first.value - last.value < alike
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
