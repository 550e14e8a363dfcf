import type { NewMiningJob } from '../../../shared/api/types'
import { amount } from '../../../shared/format/amount'
import { committeeOf, nobodyElse, type CommitteeDraft } from '../../../shared/strategies/committee'
import { anyMachine, needsOf, type NeedsDraft } from '../../../shared/needs/draft'
import { composed, noConstraints, type ComposeDraft } from '../../../shared/strategies/compose-draft'
import type { MineSearch } from '../../../shared/routes/mining-search'
import type { StrategyDraft } from '../../../shared/strategies/strategy-field'

/** In place of a model's name: there is none yet, and images are compared by what the platform's own network sees. */
export const noModel = '*'

/** A mining job while it is typed. */
export interface MiningDraft {
  dataset: string
  version: string
  model: string
  modelVersion: string
  strategy: StrategyDraft
  count: string
  controlPercent: string
  seed: string
  /** The name of a slice; empty for the whole pool. */
  slice: string
  compose: ComposeDraft
  committee: CommitteeDraft
  /** Keys, one a line, and the split whose failures are looked for. */
  like: { keys: string; failures: '' | 'val' | 'test' }
  unlike: string
  /** Of the machines that score. */
  needs: NeedsDraft
}

export const emptyDraft: MiningDraft = {
  dataset: '',
  version: 'head',
  model: '',
  modelVersion: '',
  strategy: { name: 'auto', typed: {} },
  count: '100',
  controlPercent: '10',
  seed: '0',
  slice: '',
  compose: noConstraints,
  committee: nobodyElse,
  like: { keys: '', failures: '' },
  unlike: '',
  needs: anyMachine,
}

/** What a link to the form begins it with; `wanted` are keys of samples of which more are looked for. */
export function begunWith({ strategy, ...begin }: MineSearch, wanted: readonly string[] = []): Partial<MiningDraft> {
  return {
    ...begin,
    ...(strategy === undefined ? {} : { strategy: { name: strategy, typed: {} } }),
    ...(wanted.length > 0 ? { like: { keys: wanted.join('\n'), failures: '' } } : {}),
  }
}

/** What POST /mining/jobs takes; `params` were read before. Only what was asked for is said. */
export function newMiningJob(draft: MiningDraft, params: Record<string, unknown>): NewMiningJob {
  const compose = composed(draft.compose)
  const committee = committeeOf(draft.committee)
  const needs = needsOf(draft.needs)
  return {
    dataset: draft.dataset,
    version: draft.version.trim() === '' ? 'head' : draft.version.trim(),
    model: draft.model === noModel ? null : `${draft.model}@${draft.modelVersion}`,
    strategy: { name: draft.strategy.name, params },
    count: amount(draft.count) ?? 0,
    control: (amount(draft.controlPercent) ?? 0) / 100,
    seed: amount(draft.seed) ?? 0,
    ...(draft.slice === '' ? {} : { filter: { slice: draft.slice } }),
    ...(compose === null ? {} : { compose }),
    ...(committee === null ? {} : { committee }),
    ...(needs === null ? {} : { needs }),
    ...(draft.strategy.name === 'targeted' ? targets(draft) : {}),
  }
}

function targets({ like, unlike }: MiningDraft): Pick<NewMiningJob, 'like' | 'unlike'> {
  const [wanted, unwanted] = [keysOf(like.keys), keysOf(unlike)]
  return {
    like: { ...(wanted.length > 0 ? { keys: wanted } : {}), ...(like.failures === '' ? {} : { failures: like.failures }) },
    ...(unwanted.length > 0 ? { unlike: { keys: unwanted } } : {}),
  }
}

function keysOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim()).filter(Boolean)
}
