import type { NewBacktest } from '../../shared/api/types'
import { amount } from '../../shared/format/amount'

/** A back-test while it is typed. */
export interface BacktestDraft {
  name: string
  dataset: string
  version: string
  kind: 'probe' | 'train'
  model: string
  architecture: string
  /** JSON, for trainings. */
  config: string
  strategies: string[]
  seeds: string
  rounds: string
  count: string
  start: string
  controlPercent: string
  targetPercent: string
}

export const emptyDraft: BacktestDraft = {
  name: '',
  dataset: '',
  version: 'head',
  kind: 'probe',
  model: '',
  architecture: 'small_cnn',
  config: '{}',
  strategies: ['margin'],
  seeds: '20',
  rounds: '10',
  count: '20',
  start: '20',
  controlPercent: '10',
  targetPercent: '90',
}

/** What POST /backtests takes; `config` was read before. Random is always replayed, so it need not be said. */
export function newBacktest(draft: BacktestDraft, config: Record<string, unknown>): NewBacktest {
  const target = amount(draft.targetPercent)
  const name = draft.name.trim()
  return {
    ...(name === '' ? {} : { name }),
    dataset: draft.dataset,
    version: draft.version.trim() === '' ? 'head' : draft.version.trim(),
    learner: draft.kind === 'probe' ? { kind: 'probe', model: draft.model } : { kind: 'train', architecture: draft.architecture, config },
    strategies: draft.strategies,
    seeds: amount(draft.seeds) ?? 0,
    rounds: amount(draft.rounds) ?? 0,
    count: amount(draft.count) ?? 0,
    start: amount(draft.start) ?? 0,
    control: (amount(draft.controlPercent) ?? 0) / 100,
    ...(target === null ? {} : { target: target / 100 }),
  }
}

/** How many labels the last round ends with. */
export function labelsAtEnd({ start, rounds, count }: BacktestDraft): number | null {
  const [first, times, each] = [amount(start), amount(rounds), amount(count)]
  return first === null || times === null || each === null ? null : first + times * each
}
