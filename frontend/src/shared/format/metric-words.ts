import type { ComparedMetric } from '../api/types'
import { bytes, count, milliseconds, percent } from './numbers'

const words: Record<string, string> = {
  accuracy: 'Accuracy',
  macro_f1: 'Macro F1',
  top5: 'Top 5',
  loss: 'Loss',
  ece: 'Calibration error',
  precision: 'Precision',
  recall: 'Recall',
  f1: 'F1',
  size_bytes: 'Size',
  latency_p50_ms: 'One image, median',
  latency_p95_ms: 'One image, 95th percentile',
  images_per_second: 'Images per second',
}

export function metricWords(name: string): string {
  return words[name] ?? name.replaceAll('_', ' ')
}

/** A figure as its kind is said; shares in percent, a loss as a number. */
export function figureWords(name: string, value: number | null): string {
  if (value === null) return '–'
  if (name === 'size_bytes') return bytes(value)
  if (name.endsWith('_ms')) return milliseconds(value)
  if (name === 'images_per_second') return count(Math.round(value))
  return name === 'loss' ? value.toFixed(3) : percent(value)
}

/** A change with its sign: points of a share, a loss as it is, costs in percent of what they were. */
export function deltaWords(name: string, delta: number | null, from: number | null = null): string {
  if (delta === null) return '–'
  if (name.endsWith('_ms') || name === 'size_bytes' || name === 'images_per_second') {
    return from === null || from === 0 ? '–' : `${withSign((delta / from) * 100, 1)} %`
  }
  return name === 'loss' ? withSign(delta, 3) : withSign(delta * 100, 1)
}

function withSign(value: number, digits: number): string {
  const text = value.toFixed(digits)
  if (Number(text) === 0) return (0).toFixed(digits)
  return value > 0 ? `+${text}` : text.replace('-', '−')
}

/** The interval of a change, in the unit of the change. */
export function spanWords(name: string, interval: ComparedMetric['interval']): string | null {
  const [low, high] = interval ?? []
  return low === undefined || high === undefined ? null : `${deltaWords(name, low)} to ${deltaWords(name, high)}`
}
