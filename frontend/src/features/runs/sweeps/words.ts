import type { SweepRow } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import { figureWords, metricShort } from '../../../tasktypes/metric-words'

const states = ['running', 'complete', 'pruned', 'failed', 'cancelled'] as const

/** Trials that have ended, whatever way. */
export function ended({ counts }: Pick<SweepRow, 'counts'>): number {
  return states.filter((state) => state !== 'running').reduce((sum, state) => sum + counts[state], 0)
}

/** `12 of 20 trials: 2 running, 8 complete, 4 pruned`. */
export function trialWords(sweep: Pick<SweepRow, 'counts' | 'trials'>): string {
  const parts = states.filter((state) => sweep.counts[state] > 0).map((state) => `${count(sweep.counts[state])} ${state}`)
  return `${count(ended(sweep))} of ${count(sweep.trials)} trials have ended${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
}

/** `accuracy 97.3 %`; null before a trial is complete. */
export function bestWords({ best, metric }: Pick<SweepRow, 'best' | 'metric'>): string | null {
  return best?.value == null ? null : `${metricShort(metric)} ${figureWords(metric, best.value)}`
}

export const samplerWords: Record<SweepRow['sampler'], string> = { tpe: 'TPE', random: 'random search', grid: 'a grid' }
export const prunerWords: Record<SweepRow['pruner'], string> = { median: 'pruned by the median', halving: 'pruned by successive halving', none: 'not pruned' }
