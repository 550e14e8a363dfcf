import { bytes, count } from '../../shared/format/numbers'
import type { PlanPrinted } from '../../shared/api/types'

const daysOfYear = 365
const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })
const many = 10_000

/** With four digits that count; large ones whole. */
export function figure(value: number): string {
  return Math.abs(value) >= many ? count(value) : digits.format(value)
}

const inDays: Readonly<Record<string, number>> = { years: daysOfYear, days: 1, hours: 1 / 24 }

/** A time in the unit that fits it: `9.1 years`, `166 days`, `20.8 hours`; or in that of the page it stands beside. */
export function span(days: number, printed: PlanPrinted | null = null): string {
  const unit = printed === null ? undefined : inDays[printed.unit]
  if (printed !== null && unit !== undefined) return `${figure(days / unit)} ${printed.unit}`
  const oneDecimal = (value: number) => (value >= 100 ? count(value) : String(Number(value.toFixed(1))))
  if (days >= 2 * daysOfYear) return `${oneDecimal(days / daysOfYear)} years`
  if (days >= 2) return `${oneDecimal(days)} days`
  const hours = days * 24
  if (hours >= 1) return `${oneDecimal(hours)} hours`
  return `${Math.max(0.1, Number((hours * 60).toFixed(1)))} minutes`
}

/** A figure with its unit; times in the unit that fits them. */
export function figureWords(value: number, unit: string): string {
  if (unit === 'days') return span(value)
  if (unit === 'TB' && value < 1) return bytes(value * 1e12)
  return unit === '' ? figure(value) : `${figure(value)} ${unit}`
}

/** What a page prints in this place, and how far off the computed value is. */
export function printedWords({ value, unit, off }: PlanPrinted): string {
  const percents = Math.abs(off * 100).toFixed(1)
  const difference = percents === '0.0' ? 'the same' : `${off > 0 ? '+' : '−'}${percents} %`
  return `${figure(value)} ${unit} printed, ${difference}`
}
