import type { Tone } from '../../shared/ui/chip'
import type { PipelineState, Round, RoundState } from '../../shared/api/types'

export const steps = ['training', 'scoring', 'queueing', 'labelling', 'committing', 'gating'] as const
export type Step = (typeof steps)[number]

export const stepWords: Record<RoundState, string> = {
  training: 'Training',
  scoring: 'Scoring',
  queueing: 'Queueing',
  labelling: 'Labelling',
  committing: 'Committing',
  gating: 'Gating',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

export const pipelineWords: Record<PipelineState, string> = {
  idle: 'Idle',
  running: 'Running',
  waiting_for_labels: 'Waiting for labels',
  failed: 'Failed',
  stopped: 'Paused',
  done: 'Done',
}

export function roundTone(state: RoundState): Tone {
  if (state === 'done') return 'ok'
  if (state === 'failed') return 'bad'
  if (state === 'cancelled') return 'plain'
  return state === 'labelling' ? 'warn' : 'live'
}

export function pipelineTone(state: PipelineState): Tone {
  if (state === 'done') return 'ok'
  if (state === 'failed') return 'bad'
  if (state === 'running') return 'live'
  return state === 'waiting_for_labels' ? 'warn' : 'plain'
}

export function isOver(state: RoundState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}

export interface StepTime {
  step: string
  seconds: number | null
  now: boolean
}

/** The steps of a round in their order, with the seconds each took; steps that the server timed under other names follow. */
export function stepTimes(round: Round): StepTime[] {
  const others = Object.keys(round.timings).filter((name) => !(steps as readonly string[]).includes(name))
  return [...steps, ...others].map((step) => ({
    step,
    seconds: round.timings[step] ?? null,
    now: round.state === step,
  }))
}

/** Seconds of machine work: the labelling step is people's time and would drown the rest. */
export function machineSeconds(round: Round): number {
  return Object.entries(round.timings).reduce((sum, [step, seconds]) => (step === 'labelling' ? sum : sum + seconds), 0)
}

/** The highest throughput of a round, which is that of scoring the pool. */
export function scoringRate(round: Round): number | null {
  const rates = Object.values(round.images_per_second)
  return round.images_per_second.scoring ?? (rates.length > 0 ? Math.max(...rates) : null)
}
