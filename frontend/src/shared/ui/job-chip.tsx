import type { JobState } from '../api/types'
import { Chip, type Tone } from './chip'

const words: Record<JobState, string> = {
  queued: 'Queued',
  running: 'Running',
  succeeded: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
}
const tones: Record<JobState, Tone> = { queued: 'plain', running: 'live', succeeded: 'ok', failed: 'bad', cancelled: 'plain' }

/** The state of a job; `place` in the queue while it waits, where that is known. */
export function JobChip({ state, place }: { state: JobState; place?: number }) {
  return <Chip tone={tones[state]}>{state === 'queued' && place !== undefined ? `Queued, place ${place}` : words[state]}</Chip>
}
