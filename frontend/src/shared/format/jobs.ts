import type { Job } from '../api/types'
import { count, duration, rate } from './numbers'

/** How far a job is and how long it takes: `120/300 images · 45 images/s · 4 s left`. */
export function progressWords({ state, progress, started, finished }: Pick<Job, 'state' | 'progress' | 'started' | 'finished'>): string {
  const { done, total, unit, rate: speed, eta } = progress
  const parts = [`${count(done)}/${count(total)} ${unit}`]
  if (state === 'running') {
    if (speed !== null) parts.push(rate(speed))
    if (eta !== null) parts.push(`${duration(eta)} left`)
  } else if (started !== null && finished !== null) {
    parts.push(`took ${duration((Date.parse(finished) - Date.parse(started)) / 1_000)}`)
  }
  return parts.join(' · ')
}
