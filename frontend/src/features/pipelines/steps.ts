import type { Tone } from '../../shared/ui/chip'
import type { PipelineState, Round, RoundState } from '../../shared/api/types'

export const steps = ['training', 'scoring', 'queueing', 'labelling', 'committing', 'retraining', 'gating'] as const
export type RoundStep = (typeof steps)[number]

export const stepWords: Record<RoundState, string> = {
  training: 'Training',
  scoring: 'Scoring',
  queueing: 'Queueing',
  labelling: 'Labelling',
  committing: 'Committing',
  retraining: 'Retraining',
  gating: 'Gating',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
  stopped: 'Stopped',
}

export const pipelineWords: Record<PipelineState, string> = {
  idle: 'Idle',
  running: 'Running',
  waiting_for_labels: 'Waiting for labels',
  failed: 'Failed',
  paused: 'Paused',
  waiting_for_budget: 'Waiting for budget',
  stopped: 'Stopped',
}

export function roundTone(state: RoundState): Tone {
  if (state === 'done') return 'ok'
  if (state === 'failed') return 'bad'
  if (state === 'cancelled' || state === 'stopped') return 'plain'
  return state === 'labelling' ? 'warn' : 'live'
}

export function pipelineTone(state: PipelineState): Tone {
  if (state === 'failed') return 'bad'
  if (state === 'running') return 'live'
  return state === 'waiting_for_labels' || state === 'waiting_for_budget' ? 'warn' : 'plain'
}

export function isOver(state: RoundState): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled' || state === 'stopped'
}

export interface StepTime {
  step: string
  seconds: number | null
  now: boolean
}

/** The steps of a round in their order, with the seconds each took. What else the server timed is a part of one of them. */
export function stepTimes(round: Round): StepTime[] {
  return steps.map((step) => ({
    step,
    seconds: round.timings[step] ?? null,
    now: round.state === step,
  }))
}

/** Seconds of machine work: the labelling step is people's time and would drown the rest. */
export function machineSeconds(round: Round): number {
  return steps.reduce((sum, step) => (step === 'labelling' ? sum : sum + (round.timings[step] ?? 0)), 0)
}

/** Images a second while the pool was scored; null before, and for strategies that need no scores. */
export function scoringRate(round: Round): number | null {
  return round.images_per_second.score ?? null
}
