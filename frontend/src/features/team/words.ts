import { percent, plural } from '../../shared/format/numbers'
import { span } from '../../shared/queues/urgency'
import type { Agreement, AnnotatorPair, WaitingQueue } from './types'

const HOUR = 3_600

/** Landis and Koch's words for a kappa; they are a habit, not a law. */
export function kappaWord(kappa: number): string {
  if (kappa < 0) return 'worse than chance'
  if (kappa <= 0.2) return 'slight'
  if (kappa <= 0.4) return 'fair'
  if (kappa <= 0.6) return 'moderate'
  if (kappa <= 0.8) return 'substantial'
  return 'almost perfect'
}

/** What a cell of the matrix says of two people, 0..1, and in words. */
export function pairFigure({ both, kappa, mean_iou: overlap }: Pick<AnnotatorPair, 'both' | 'kappa' | 'mean_iou'>): { value: number; word: string } | null {
  if (both === 0) return null
  if (overlap !== null) return { value: overlap, word: 'overlap' }
  return kappa === null ? null : { value: kappa, word: kappaWord(kappa) }
}

export function pairOf(pairs: readonly AnnotatorPair[], a: number, b: number): AnnotatorPair | undefined {
  return pairs.find((pair) => (pair.a === a && pair.b === b) || (pair.a === b && pair.b === a))
}

/** How strongly a cell is coloured, in per cent: nothing at chance, most at perfect. */
export function heat(value: number): number {
  return Math.round(Math.min(Math.max(value, 0), 1) * 60)
}

/** What hiding the model's word on some tasks says about those on which it is shown. */
export function biasWords({ shown, hidden, difference, interval }: Agreement['blind']): string {
  const [low = -1, high = 1] = interval
  if (shown.answers === 0 && hidden.answers === 0) return 'No task that was answered had a suggestion of a model, so there is nothing to compare.'
  if (hidden.answers === 0) return 'No blind task has been answered yet: every task showed the model’s suggestion.'
  if (difference === null) return 'Too few answers to tell whether the model’s suggestion influences people.'
  const points = `${percent(Math.abs(difference), 0)} points (95 %: ${percent(low, 0)} to ${percent(high, 0)})`
  if (low > 0) return `People agree with the model more often when they see its suggestion: by ${points}. Some labels follow the model, not the image.`
  if (high < 0) return `People agree with the model less often when they see its suggestion: by ${points}.`
  return `No sign that the model’s suggestion influences people: the difference of ${points} may be chance, over ${plural(hidden.answers, 'blind answer')}.`
}

/** How long a queue's open tasks take at the pace of its last days. */
export function paceWords({ answers_left: left, hours_left: hours, per_hour: pace }: WaitingQueue['pace']): string {
  if (left === 0) return 'answered'
  if (hours === null || pace === null) return 'no pace yet'
  return `${span(hours * HOUR)} at ${pace.toFixed(pace < 10 ? 1 : 0)}/h`
}

/** What that pace was taken from. */
export function paceSource({ answers, days }: WaitingQueue['pace']): string {
  return days === 0 ? 'No answers in the last 30 days' : `${plural(answers, 'answer')} on ${plural(days, 'day')}`
}
