import type { Queue } from '../api/types'
import { duration, plural } from '../format/numbers'

export const priorityWords: Record<Queue['priority'], string> = { high: 'High', normal: 'Normal', low: 'Low' }
const ranks = ['high', 'normal', 'low'] as const

const DAY = 24 * 3_600

type Urgency = Pick<Queue, 'priority' | 'due'>

/** The more urgent first: by priority, then by what is due sooner; what is never due comes last. */
export function byUrgency(a: Urgency, b: Urgency): number {
  return ranks.indexOf(a.priority) - ranks.indexOf(b.priority) || dueTime(a) - dueTime(b) || 0
}

function dueTime({ due }: Urgency): number {
  return due === null ? Number.MAX_VALUE : Date.parse(due)
}

/** “due in 2 h” or “overdue by 3 min”; null without a time. `now` in milliseconds. */
export function dueWords(due: string | null, now: number): { words: string; late: boolean } | null {
  if (due === null) return null
  const seconds = (Date.parse(due) - now) / 1_000
  return seconds < 0 ? { words: `overdue by ${span(-seconds)}`, late: true } : { words: `due in ${span(seconds)}`, late: false }
}

/** `5 h 00 min`, and from two days on whole days. */
export function span(seconds: number): string {
  return seconds < 2 * DAY ? duration(seconds) : plural(Math.floor(seconds / DAY), 'day')
}

/** An ISO time as a `datetime-local` field holds it, in this browser's time zone; empty for none. */
export function localTime(iso: string | null): string {
  if (iso === null) return ''
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The ISO time that a `datetime-local` field holds; null for an empty one. */
export function isoTime(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString()
}
