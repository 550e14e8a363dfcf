import type { Job } from '../api/types'
import { count, duration, rate } from './numbers'

/** Where a job stands that waits for a worker: `3rd in line, after “Train cats”. Starts in about 4 min.` Empty for one that does not wait. */
export function waitingWords({ waiting }: Pick<Job, 'waiting'>): string {
  if (waiting === null) return ''
  const before = waiting.ahead.at(-1)
  const place = before === undefined ? 'Next in line' : `${ordinal(waiting.place)} in line, after “${before.title}”`
  const start = waiting.starts_in === null ? `When it starts is unknown: ${waiting.note ?? 'no figures yet'}` : waiting.starts_in < 1 ? 'Starts now' : `Starts in about ${duration(waiting.starts_in)}`
  return `${place}. ${start}.`
}

function ordinal(place: number): string {
  const ending = place % 100 > 10 && place % 100 < 14 ? undefined : ['st', 'nd', 'rd'][(place % 10) - 1]
  return `${count(place)}${ending ?? 'th'}`
}

/** How far a job is and how long it takes: `120/300 images · 45 images/s · 4 s left`. */
export function progressWords({ state, progress, started, finished }: Pick<Job, 'state' | 'progress' | 'started' | 'finished'>): string {
  const { done, total, unit, rate: speed, eta } = progress
  const parts = [`${count(done)}/${count(total)} ${unit}`]
  if (state === 'running') {
    if (speed !== null) parts.push(rate(speed))
    // Less than a second is no time to wait for, and a job in its last step has no figure for it.
    if (eta !== null && eta >= 1) parts.push(`${duration(eta)} left`)
  } else if (started !== null && finished !== null) {
    parts.push(`took ${duration((Date.parse(finished) - Date.parse(started)) / 1_000)}`)
  }
  return parts.join(' · ')
}
