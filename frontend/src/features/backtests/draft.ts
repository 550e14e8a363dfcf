import type { NewBacktest } from '../../shared/api/types'
import { amount, given } from '../../shared/format/amount'
import { taskTypeOf } from '../../tasktypes'

/** A back-test while it is typed. */
export interface BacktestDraft {
  name: string
  dataset: string
  version: string
  kind: 'probe' | 'train'
  model: string
  /** '' for the recommended one. */
  architecture: string
  /** JSON, for trainings. */
  config: string
  strategies: string[]
  /** By strategy, what was typed of its parameters. */
  typed: Record<string, Record<string, string>>
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
  architecture: '',
  config: '',
  strategies: ['auto'],
  typed: {},
  seeds: '20',
  rounds: '10',
  count: '20',
  start: '20',
  controlPercent: '10',
  targetPercent: '90',
}

/** What POST /backtests takes; `config` and the parameters of strategies were read before. Random is always replayed, so it need not be
 * said. */
export function newBacktest(draft: BacktestDraft, config: Record<string, unknown>, params: Record<string, Record<string, unknown>> = {}): NewBacktest {
  const target = amount(draft.targetPercent)
  const name = draft.name.trim()
  return {
    ...(name === '' ? {} : { name }),
    dataset: draft.dataset,
    version: draft.version.trim() === '' ? 'head' : draft.version.trim(),
    learner: draft.kind === 'probe' ? { kind: 'probe', model: draft.model } : { kind: 'train', config, ...given({ architecture: draft.architecture || null }) },
    strategies: draft.strategies.map((name) => withParams(name, params[name] ?? {})),
    seeds: amount(draft.seeds) ?? 0,
    rounds: amount(draft.rounds) ?? 0,
    count: amount(draft.count) ?? 0,
    start: amount(draft.start) ?? 0,
    control: (amount(draft.controlPercent) ?? 0) / 100,
    ...(target === null ? {} : { target: target / 100 }),
  }
}

function withParams(name: string, params: Record<string, unknown>): NewBacktest['strategies'][number] {
  return Object.keys(params).length === 0 ? name : { name, params }
}

/** What changes where the dataset's task does: who can learn it, and, where each round is a training of minutes and half
 * of all is a high figure, sizes and no target. */
export function forTask(task: string | undefined, draft: BacktestDraft): Partial<BacktestDraft> {
  if (task === undefined) return {}
  const { replays } = taskTypeOf(task)
  const [first] = replays
  if (first === undefined) return {}
  const kind = replays.includes(draft.kind) ? draft.kind : first
  const learner = { kind, architecture: '' }
  return replays.includes('probe') ? learner : { ...learner, seeds: '5', rounds: '3', count: '60', start: '60', targetPercent: '', strategies: ['auto'] }
}

/** How many models are trained: one before the first round and one after each, for random and each other strategy. */
export function trainings({ kind, strategies, seeds, rounds }: BacktestDraft): number | null {
  const [times, each] = [amount(seeds), amount(rounds)]
  if (kind !== 'train' || times === null || each === null) return null
  return new Set(['random', ...strategies]).size * times * (each + 1)
}

/** How many labels the last round ends with. */
export function labelsAtEnd({ start, rounds, count }: BacktestDraft): number | null {
  const [first, times, each] = [amount(start), amount(rounds), amount(count)]
  return first === null || times === null || each === null ? null : first + times * each
}
