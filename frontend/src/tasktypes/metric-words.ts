import { taskTypes } from '.'
import type { ComparedMetric } from '../shared/api/types'
import { bytes, count, milliseconds, percent } from '../shared/format/numbers'

const costs: Record<string, string> = {
  size_bytes: 'Size',
  latency_p50_ms: 'One image, median',
  latency_p95_ms: 'One image, 95th percentile',
  images_per_second: 'Images per second',
}

/** All that the task types here are judged by. */
const figures = Object.values(taskTypes).flatMap(({ judging }) => (judging ? [...judging.figures, ...judging.classFigures] : []))
const titles = new Map(figures.map(({ name, title }) => [name, title]))
const shorts = new Map(figures.map(({ name, title, short }) => [name, short ?? title.toLowerCase()]))
const lower = new Set(figures.filter(({ lowerIsBetter }) => lowerIsBetter).map(({ name }) => name))

export function metricWords(name: string): string {
  return costs[name] ?? titles.get(name) ?? name.replaceAll('_', ' ')
}

/** In a sentence: `accuracy`, `mAP`. */
export function metricShort(name: string): string {
  return shorts.get(name) ?? name.replaceAll('_', ' ')
}

export function lowerIsBetter(name: string): boolean {
  return lower.has(name)
}

/** Whether a figure is a share: one that nobody knows here may be anything. */
function isShare(name: string): boolean {
  return titles.has(name) && name !== 'loss'
}

/** How far a share got worse, from 0 to 1; what is measured in other units can't be set beside it. */
export function lossOf({ name, delta }: Pick<ComparedMetric, 'name' | 'delta'>): number {
  if (delta === null || !isShare(name)) return 0
  return Math.max(0, lowerIsBetter(name) ? delta : -delta)
}

/** A figure as its kind is said; shares in percent, others as a number. */
export function figureWords(name: string, value: number | null): string {
  if (value === null) return '–'
  if (name === 'size_bytes') return bytes(value)
  if (name.endsWith('_ms')) return milliseconds(value)
  if (name === 'images_per_second') return count(Math.round(value))
  return isShare(name) ? percent(value) : value.toFixed(3)
}

/** A change with its sign: points of a share, a number as it is, costs in percent of what they were. */
export function deltaWords(name: string, delta: number | null, from: number | null = null): string {
  if (delta === null) return '–'
  if (name.endsWith('_ms') || name === 'size_bytes' || name === 'images_per_second') {
    return from === null || from === 0 ? '–' : `${withSign((delta / from) * 100, 1)} %`
  }
  return isShare(name) ? withSign(delta * 100, 1) : withSign(delta, 3)
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
