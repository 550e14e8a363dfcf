import type { NewPipeline, Pipeline, PipelineChanges } from '../../../shared/api/types'
import { amount, given, percentFault } from '../../../shared/format/amount'
import { anyMachine, needsDraft, needsOf, type NeedsDraft } from '../../../shared/needs/draft'
import { committeeDraft, committeeOf, nobodyElse, type CommitteeDraft } from '../../../shared/strategies/committee'
import { composed, composeDraft, noConstraints, type ComposeDraft } from '../../../shared/strategies/compose-draft'
import { typedAs } from '../../../shared/strategies/params'
import type { StrategyDraft } from '../../../shared/strategies/strategy-field'
import { textOf } from '../../../shared/training/settings'

export type GraceUnit = 'seconds' | 'minutes'

const secondsIn: Record<GraceUnit, number> = { seconds: 1, minutes: 60 }
/** A day, as the server takes it. */
const longestGrace = 24 * 3600

/** A pipeline while it is typed: every number is a text, empty for none. */
export interface PipelineDraft {
  name: string
  dataset: string
  /** '' for a new one with the pipeline's name. */
  model: string
  /** '' for the recommended one. */
  architecture: string
  /** JSON, as POST /pipelines takes it. */
  config: string
  strategy: StrategyDraft
  compose: ComposeDraft
  committee: CommitteeDraft
  /** The part of the pool it mines in, as text; empty for all of it. */
  filter: string
  /** From the last answer to the commit. */
  grace: { amount: string; unit: GraceUnit }
  count: string
  controlPercent: string
  warmStart: boolean
  answersPerTask: string
  schedule: string
  trigger: { labels: string; samples: string; drop: string; webhook: boolean }
  budget: { labels: string; labelsPerDay: string; money: string; costPerLabel: string; computeHours: string }
  stop: { target: string; confidence: string; perPoint: string; kappa: string; rounds: string }
  /** Of the machines that train, and of those that score. */
  needs: { train: NeedsDraft; score: NeedsDraft }
}

export const emptyDraft: PipelineDraft = {
  name: '',
  dataset: '',
  model: '',
  architecture: '',
  config: '',
  strategy: { name: 'auto', typed: {} },
  compose: noConstraints,
  committee: nobodyElse,
  filter: '',
  grace: { amount: '30', unit: 'seconds' },
  count: '',
  controlPercent: '10',
  warmStart: false,
  answersPerTask: '1',
  schedule: '',
  trigger: { labels: '', samples: '', drop: '', webhook: false },
  budget: { labels: '', labelsPerDay: '', money: '', costPerLabel: '', computeHours: '' },
  stop: { target: '', confidence: '95', perPoint: '', kappa: '', rounds: '3' },
  needs: { train: anyMachine, score: anyMachine },
}

/** What a draft says of the loop itself, which may be changed later. */
export function settingsOf(draft: PipelineDraft) {
  return {
    ...(draft.count.trim() === '' ? {} : { count: amount(draft.count) ?? 0 }),
    control: (amount(draft.controlPercent) ?? 0) / 100,
    warm_start: draft.warmStart,
    answers_per_task: amount(draft.answersPerTask) ?? 1,
    schedule: draft.schedule.trim() === '' ? null : draft.schedule.trim(),
    trigger: triggerOf(draft),
    budget: budgetOf(draft),
    stop: stopOf(draft),
    compose: composed(draft.compose),
    committee: committeeOf(draft.committee),
    filter: draft.filter.trim() === '' ? null : draft.filter.trim(),
    commit_grace: graceSeconds(draft) ?? 0,
    needs: { train: needsOf(draft.needs.train), score: needsOf(draft.needs.score) },
  } satisfies PipelineChanges
}

function graceSeconds({ grace }: PipelineDraft): number | null {
  const said = amount(grace.amount)
  return said === null ? null : Math.round(said * secondsIn[grace.unit])
}

/** What is wrong with the time before the commit, in words. */
export function graceFault(draft: PipelineDraft): string | null {
  const seconds = graceSeconds(draft)
  const fits = seconds !== null && seconds >= 0 && seconds <= longestGrace
  return fits ? null : 'A number from 0 to a day (86 400 seconds, 1 440 minutes).'
}

/** What is wrong with the percentages that stop it, by the server's names, which are of shares. */
export function stopFaults({ stop }: PipelineDraft) {
  return { 'stop.target.value': percentFault(stop.target, 100), 'stop.target.confidence': percentFault(stop.confidence, 100) }
}

function graceDraft(seconds: number): PipelineDraft['grace'] {
  const whole = seconds > 0 && seconds % secondsIn.minutes === 0
  return whole ? { amount: String(seconds / secondsIn.minutes), unit: 'minutes' } : { amount: String(seconds), unit: 'seconds' }
}

/** A new pipeline; `config` and `params` were read before. */
export function newPipeline(draft: PipelineDraft, config: Record<string, unknown>, params: Record<string, unknown>): NewPipeline {
  const settings = settingsOf(draft)
  return {
    name: draft.name.trim(),
    dataset: draft.dataset,
    ...given({ model: draft.model || null, architecture: draft.architecture || null }),
    config,
    strategy: { name: draft.strategy.name, params },
    seed: 0,
    ...settings,
  }
}

function triggerOf({ trigger }: PipelineDraft) {
  const drop = amount(trigger.drop)
  return given({
    new_labels: amount(trigger.labels),
    new_samples: amount(trigger.samples),
    metric_drop: drop === null ? null : { points: drop },
    webhook: trigger.webhook ? true : null,
  })
}

function budgetOf({ budget }: PipelineDraft) {
  return given({
    labels: amount(budget.labels),
    labels_per_day: amount(budget.labelsPerDay),
    money: amount(budget.money),
    cost_per_label: amount(budget.costPerLabel),
    compute_hours: amount(budget.computeHours),
  })
}

function stopOf({ stop }: PipelineDraft) {
  const target = amount(stop.target)
  const worth = amount(stop.perPoint)
  const kappa = amount(stop.kappa)
  return given({
    target: target === null ? null : { value: share(target), confidence: share(amount(stop.confidence) ?? 95) },
    value: worth === null ? null : { per_point: worth },
    stable: kappa === null ? null : { kappa, rounds: amount(stop.rounds) ?? 3 },
  })
}

function share(percent: number): number {
  return Number((percent / 100).toPrecision(9))
}

/** The draft of another pipeline with the same settings, but those that are of its model: a name is still to be given, and its model is new. */
export function copyOf(pipeline: Pipeline): PipelineDraft {
  return { ...draftOf(pipeline), name: '', model: '', committee: nobodyElse }
}

/** The draft that says what a pipeline is now. */
export function draftOf(pipeline: Pipeline): PipelineDraft {
  const text = (value: number | null | undefined) => (value === undefined || value === null ? '' : String(value))
  const inPercent = (value: number | undefined) => text(value === undefined ? undefined : Number((value * 100).toPrecision(9)))
  const { trigger, budget, stop } = pipeline
  return {
    name: pipeline.name,
    dataset: pipeline.dataset,
    model: pipeline.model,
    architecture: pipeline.architecture,
    config: textOf(pipeline.config),
    strategy: { name: pipeline.strategy.name, typed: Object.fromEntries(Object.entries(pipeline.strategy.params).map(([name, value]) => [name, typedAs(value)])) },
    compose: composeDraft(pipeline.compose),
    committee: committeeDraft(pipeline.committee),
    filter: pipeline.filter_text ?? '',
    grace: graceDraft(pipeline.commit_grace),
    count: text(pipeline.count),
    controlPercent: inPercent(pipeline.control),
    warmStart: pipeline.warm_start,
    answersPerTask: text(pipeline.answers_per_task),
    schedule: pipeline.schedule ?? '',
    trigger: { labels: text(trigger.new_labels), samples: text(trigger.new_samples), drop: text(trigger.metric_drop?.points), webhook: trigger.webhook ?? false },
    budget: {
      labels: text(budget.labels),
      labelsPerDay: text(budget.labels_per_day),
      money: text(budget.money),
      costPerLabel: text(budget.cost_per_label),
      computeHours: text(budget.compute_hours),
    },
    stop: {
      target: inPercent(stop.target?.value),
      confidence: inPercent(stop.target?.confidence) || '95',
      perPoint: text(stop.value?.per_point),
      kappa: text(stop.stable?.kappa),
      rounds: text(stop.stable?.rounds) || '3',
    },
    needs: { train: needsDraft(pipeline.needs.train), score: needsDraft(pipeline.needs.score) },
  }
}
