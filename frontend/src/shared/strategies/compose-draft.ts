import type { Compose, Objective, OpenSettings, Quota } from '../api/mining-types'
import { amount } from '../format/amount'
import { numbersIn } from './params'

export const quotaKinds = ['class', 'slice', 'source'] as const
export const weightedObjectives = ['class_weight', 'slice_weight'] as const
export const plainObjectives = ['uncertainty', 'novelty', 'typicality'] as const
export type ObjectiveName = (typeof weightedObjectives)[number] | (typeof plainObjectives)[number]

export interface QuotaDraft {
  kind: (typeof quotaKinds)[number]
  name: string
  /** Whether least and most are samples, or shares of the batch in per cent. */
  unit: 'samples' | 'percent'
  least: string
  most: string
}

export interface ObjectiveDraft {
  name: ObjectiveName
  /** `bolt=2, nut=0.5`, for objectives with weights. */
  weights: string
  strength: string
}

/** Constraints as they are typed; what is empty constrains nothing. */
export interface ComposeDraft {
  quotas: QuotaDraft[]
  source: string
  gap: { seconds: string; group: string; time: string }
  distance: { cosine: string; labelled: boolean; batch: boolean }
  cost: { meta: string; fallback: string; budget: string }
  objectives: ObjectiveDraft[]
}

export const noConstraints: ComposeDraft = {
  quotas: [],
  source: '',
  gap: { seconds: '', group: '', time: '' },
  distance: { cosine: '', labelled: true, batch: true },
  cost: { meta: '', fallback: '1', budget: '' },
  objectives: [],
}

export function isWeighted(name: ObjectiveName): name is (typeof weightedObjectives)[number] {
  return (weightedObjectives as readonly string[]).includes(name)
}

/** The constraints that a draft says; null where it says none. */
export function composed(draft: ComposeDraft): Compose | null {
  const quotas = draft.quotas.flatMap((quota) => (quota.name.trim() === '' ? [] : [quotaOf(quota)]))
  const objectives = draft.objectives.map(objectiveOf)
  const made: Compose = {
    ...(quotas.length > 0 ? { quotas } : {}),
    ...(draft.source.trim() === '' ? {} : { source: draft.source.trim() }),
    ...gapOf(draft),
    ...distanceOf(draft),
    ...costOf(draft),
    ...(objectives.length > 0 ? { objectives } : {}),
  }
  return Object.keys(made).length > 0 ? made : null
}

function quotaOf({ kind, name, unit, least, most }: QuotaDraft): Quota {
  const bound = (key: 'min' | 'max', text: string) => {
    const value = amount(text)
    if (value === null) return {}
    return unit === 'samples' ? { [key]: value } : { [`${key}_share`]: value / 100 }
  }
  return { [kind]: name.trim(), ...bound('min', least), ...bound('max', most) }
}

function gapOf({ gap }: ComposeDraft): Pick<Compose, 'gap'> {
  const seconds = amount(gap.seconds)
  return seconds === null ? {} : { gap: { seconds, group: gap.group.trim(), time: gap.time.trim() } }
}

function distanceOf({ distance }: ComposeDraft): Pick<Compose, 'distance'> {
  const cosine = amount(distance.cosine)
  const to = (['labelled', 'batch'] as const).filter((one) => distance[one])
  return cosine === null ? {} : { distance: { cosine, to } }
}

function costOf({ cost }: ComposeDraft): Pick<Compose, 'cost' | 'budget'> {
  const budget = amount(cost.budget)
  const meta = cost.meta.trim()
  return {
    ...(meta === '' ? {} : { cost: { meta, default: amount(cost.fallback) ?? 1 } }),
    ...(budget === null ? {} : { budget }),
  }
}

function objectiveOf({ name, weights, strength }: ObjectiveDraft): Objective {
  const power = amount(strength) ?? 1
  return isWeighted(name) ? { name, weights: (weights.trim() === '' ? undefined : numbersIn(weights)) ?? {}, strength: power } : { name, strength: power }
}

/** What is wrong with weights that somebody typed; null when nothing is, or nothing was typed. */
export function weightsFault(text: string): string | null {
  return text.trim() === '' || numbersIn(text) !== undefined ? null : 'Type names with numbers, such as bolt=2, nut=0.5.'
}

/** What is wrong with the name of a quota; null when nothing is, or the whole quota is empty. */
export function quotaFault({ name, least, most }: QuotaDraft): string | null {
  return name.trim() === '' && (least.trim() !== '' || most.trim() !== '') ? 'Type the name that this quota is for.' : null
}

/** The draft that says the same as constraints which are stored. */
export function composeDraft(open: OpenSettings): ComposeDraft {
  if (open === null) return noConstraints
  const stored = open as Compose
  const text = (value: number | undefined) => (value === undefined ? '' : String(value))
  return {
    quotas: (stored.quotas ?? []).map(quotaDraft),
    source: stored.source ?? '',
    gap: { seconds: text(stored.gap?.seconds), group: stored.gap?.group ?? '', time: stored.gap?.time ?? '' },
    distance: {
      cosine: text(stored.distance?.cosine),
      labelled: stored.distance?.to.includes('labelled') ?? true,
      batch: stored.distance?.to.includes('batch') ?? true,
    },
    cost: { meta: stored.cost?.meta ?? '', fallback: text(stored.cost?.default ?? 1), budget: text(stored.budget) },
    objectives: (stored.objectives ?? []).map(({ name, strength, ...rest }) => ({
      name,
      strength: String(strength),
      weights: 'weights' in rest ? Object.entries(rest.weights).map(([key, value]) => `${key}=${value}`).join(', ') : '',
    })),
  }
}

function quotaDraft(quota: Quota): QuotaDraft {
  const kind = quotaKinds.find((one) => quota[one] !== undefined) ?? 'class'
  const shares = quota.min_share !== undefined || quota.max_share !== undefined
  const text = (value: number | undefined) => (value === undefined ? '' : String(shares ? round(value * 100) : value))
  return {
    kind,
    name: quota[kind] ?? '',
    unit: shares ? 'percent' : 'samples',
    least: text(shares ? quota.min_share : quota.min),
    most: text(shares ? quota.max_share : quota.max),
  }
}

function round(percent: number): number {
  return Number(percent.toPrecision(6))
}
