import type { Sweep, Trial } from '../../../shared/api/types'
import { Chip, type Tone } from '../../../shared/ui/chip'
import { JobChip } from '../../../shared/ui/job-chip'

const words: Record<Trial['state'], string> = { running: 'Running', complete: 'Complete', pruned: 'Pruned', failed: 'Failed', cancelled: 'Cancelled' }
const tones: Record<Trial['state'], Tone> = { running: 'live', complete: 'ok', pruned: 'warn', failed: 'bad', cancelled: 'plain' }

export function TrialChip({ state }: Pick<Trial, 'state'>) {
  return <Chip tone={tones[state]}>{words[state]}</Chip>
}

/** A sweep is as a job is: at work, or ended. */
export function SweepChip({ state }: Pick<Sweep, 'state'>) {
  return <JobChip state={state} />
}
