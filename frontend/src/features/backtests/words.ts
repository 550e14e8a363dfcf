import type { Backtest, Learner } from '../../shared/api/types'
import type { Series } from '../../shared/charts/series'
import { count, percent } from '../../shared/format/numbers'

export function learnerWords(learner: Learner): string {
  return learner.kind === 'probe' ? `probe on ${learner.model ?? ''}` : `${learner.architecture ?? ''}, trained each time`
}

export function bestWords({ best }: Pick<Backtest, 'best'>): string {
  if (best === null) return '–'
  return best.clear ? best.strategy.replaceAll('_', ' ') : 'none clearly'
}

interface Arm {
  strategy: string
  params: Record<string, unknown>
}

export function sameArm(left: Arm, right: Arm): boolean {
  return left.strategy === right.strategy && JSON.stringify(left.params) === JSON.stringify(right.params)
}

/** The mean curves with their bands, the highest over all budgets first and random last: each keeps its colour. With
 * `objects` (their word), a point tells how many there are; `across` them, that is its place. */
export function curvesOf({ curves, best }: Pick<Backtest, 'curves' | 'best'>, objects: string | null = null, across = false): Series[] {
  const place = (curve: Backtest['curves'][number]) => (curve.strategy === 'random' ? 2 : best !== null && sameArm(curve, best) ? 0 : 1)
  const drawn = curves.filter((curve) => curve.points.length > 0).sort((a, b) => place(a) - place(b))
  return drawn.map((curve) => ({
    id: curve.strategy + JSON.stringify(curve.params),
    name: curve.strategy.replaceAll('_', ' '),
    // Only what tells two lines apart is worth reading.
    words: drawn.some((other) => other !== curve && other.strategy === curve.strategy) ? JSON.stringify(curve.params) : '',
    points: curve.points.map(({ labels, objects: drawn, mean, low, high }) => ({
      labels: across && drawn !== null ? Math.round(drawn) : labels,
      value: mean,
      low,
      high,
      ...(objects !== null && drawn !== null ? { more: `${count(Math.round(drawn))} ${objects}` } : {}),
    })),
  }))
}

/** A difference of accuracies in points: `+1.24`. */
export function points(difference: number): string {
  const rounded = (difference * 100).toFixed(2)
  return difference > 0 ? `+${rounded}` : rounded.replace('-', '−')
}

/** A p-value as papers print it. */
export function pValue(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3)
}

/** The share of random's labels that a strategy does without: `at least 40 %` where random never reached the target. */
export function savedWords({ saved, saved_at_least: atLeast }: Pick<Backtest['labels_to_target'][number], 'saved' | 'saved_at_least'>): string {
  if (saved === null) return '–'
  if (saved < 0) return `${percent(-saved, 0)} more`
  return `${atLeast ? 'at least ' : ''}${percent(saved, 0)}`
}
