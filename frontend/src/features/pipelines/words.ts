import type { Stop, Trigger } from '../../shared/api/types'
import { count, percent, plural } from '../../shared/format/numbers'
import { metricShort } from '../../tasktypes/metric-words'

/** What begins a round beside the schedule and a person, each in words; `share` is what a drop is of. */
export function triggerWords(trigger: Trigger, share: string): string[] {
  return [
    ...(trigger.new_labels == null ? [] : [plural(trigger.new_labels, 'new label')]),
    ...(trigger.new_samples == null ? [] : [plural(trigger.new_samples, 'new sample')]),
    ...(trigger.metric_drop == null ? [] : [`production ${share} drops by ${trigger.metric_drop.points} points`]),
    ...(trigger.webhook === true ? ['a webhook call'] : []),
  ]
}

/** When the pipeline stops by itself, each rule in words. */
export function stopWords(stop: Stop, share: string): string[] {
  const { target, value, stable } = stop
  return [
    ...(target ? [`${share} is at least ${percent(target.value)}, ${percent(target.confidence, 0)} sure`] : []),
    ...(value ? [`the next batch gains less than its labels cost (value of one point: ${count(value.per_point)})`] : []),
    ...(stable ? [`predictions stay the same for ${plural(stable.rounds, 'round')} (kappa ${stable.kappa} or more)`] : []),
  ]
}

/** What a version must show before it is promoted: `accuracy of class cat: at most 0.01 below the version that serves`. */
export function gateWords(gate: Record<string, unknown>): string {
  const { check, metric, class: name, slice, artifact, confidence } = gate
  if (typeof check === 'string') return check.replaceAll('_', ' ')
  const parts: [string, unknown][] = [['of class', name], ['of slice', slice], ['of', artifact]]
  const about = parts.flatMap(([word, of]) => (typeof of === 'string' ? [`${word} ${of}`] : []))
  const sure = typeof confidence === 'number' ? [`, ${percent(confidence, 0)} sure`] : []
  return `${[metricShort(String(metric)), ...about].join(' ')}: ${boundWords(gate)}${sure.join('')}`
}

function boundWords({ min, max, min_delta: least, max_delta: most, against }: Record<string, unknown>): string {
  if (typeof min === 'number') return `at least ${min}`
  if (typeof max === 'number') return `at most ${max}`
  const serves = against === 'best' ? 'the best version so far' : 'the version that serves'
  if (typeof least === 'number') return least < 0 ? `at most ${-least} below ${serves}` : `at least ${least} above ${serves}`
  return Number(most) < 0 ? `at least ${-Number(most)} below ${serves}` : `at most ${String(most)} above ${serves}`
}

/** Numbers that a rule fired with: `kappa 0.993 · rounds 3`. */
export function numberWords(numbers: Record<string, unknown>): string {
  return Object.entries(numbers)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'number' ? Number(value.toPrecision(4)) : JSON.stringify(value)}`)
    .join(' · ')
}

/** A time to come: `in 3 min`, `in 2 h`, `in 4 days`; `now` where it has passed. */
export function untilWords(iso: string, now: number): string {
  const minutes = Math.ceil((Date.parse(iso) - now) / 60_000)
  if (minutes <= 0) return 'now'
  if (minutes < 90) return `in ${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} days`
}
