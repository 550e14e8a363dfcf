import type { Backtest, Learner } from '../../shared/api/types'
import type { Series } from '../../shared/charts/series'
import { signed } from '../../shared/format/numbers'

export function learnerWords(learner: Learner): string {
  return learner.kind === 'probe' ? `probe on ${learner.model}` : `${learner.architecture}, trained each time`
}

export function bestWords({ best }: Pick<Backtest, 'best'>): string {
  return best === null ? '–' : best.strategy.replaceAll('_', ' ')
}

/** The mean curves with their bands, the best strategy first and random last: each keeps its colour. */
export function curvesOf({ curves, best }: Pick<Backtest, 'curves' | 'best'>): Series[] {
  const place = ({ strategy }: Backtest['curves'][number]) => (strategy === best?.strategy ? 0 : strategy === 'random' ? 2 : 1)
  const drawn = curves.filter((curve) => curve.points.length > 0).sort((a, b) => place(a) - place(b))
  return drawn.map((curve) => ({
    id: curve.strategy + JSON.stringify(curve.params),
    name: curve.strategy.replaceAll('_', ' '),
    words: Object.keys(curve.params).length > 0 ? JSON.stringify(curve.params) : '',
    points: curve.points.map(({ labels, mean, low, high }) => ({ labels, accuracy: mean, low, high })),
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

/** Labels that a strategy saved against random: `+120`, with a minus where it needed more. */
export function savedWords(saved: number | null): string {
  return saved === null ? '–' : signed(saved)
}
