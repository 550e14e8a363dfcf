import type { Tone } from '../../shared/ui/chip'
import { list, number, type JsonRecord, record, text } from './reading'

export interface Check {
  name: string
  passed: boolean
  problems: string[]
}

export function checks(report: JsonRecord): Check[] {
  return list(report.checks).map((said) => {
    const one = record(said)
    return { name: text(one.name) ?? 'unnamed', passed: one.passed === true, problems: list(one.problems).map(String) }
  })
}

export interface TensorRt {
  words: string
  tone: Tone
  reason: string | null
  version: string | null
  engines: { architecture: string; built: boolean; seconds: number | null; bytes: number | null }[]
}

const tones: Record<string, Tone> = { verified: 'ok', refused: 'bad' }

/** What NVIDIA's builder said. Older reports have only the words; without a report nothing was verified. */
export function tensorrt(report: JsonRecord): TensorRt {
  const told = typeof report.tensorrt === 'string' ? { status: report.tensorrt } : record(report.tensorrt)
  const words = text(told.status) ?? 'not verified'
  return {
    words,
    tone: tones[words] ?? 'plain',
    reason: text(told.reason),
    version: [text(told.builder), text(told.version)].filter((part) => part !== null).join(' ') || null,
    engines: list(told.engines).map((said) => {
      const one = record(said)
      return { architecture: text(one.architecture) ?? '–', built: one.built === true, seconds: number(one.seconds), bytes: number(one.bytes) }
    }),
  }
}

export interface Variant {
  name: string
  ready: boolean
  bytes: number | null
  /** What the version is judged by first. */
  value: number | null
  drop: number | null
  top1: number | null
  maxError: number | null
  spearman: number | null
  overlap: { k: string; share: number }[]
  tensorrt: TensorRt
}

/** The files of other precisions; their headline is in the report or among the version's metrics. */
export function variants(report: JsonRecord, metrics: JsonRecord, headline: string): Variant[] {
  const judged = record(metrics.variants)
  return Object.entries(record(report.variants)).map(([name, said]) => {
    const one = record(said)
    const agreement = record(one.agreement)
    const value = number(one[headline]) ?? number(record(judged[name])[headline])
    const whole = number(metrics[headline])
    return {
      name,
      ready: one.ready === true,
      bytes: number(one.bytes),
      value,
      drop: number(one[`${headline}_drop`]) ?? (value !== null && whole !== null ? whole - value : null),
      top1: number(agreement.top1),
      maxError: number(agreement.max_abs_error),
      spearman: number(agreement.score_spearman),
      overlap: Object.entries(record(agreement.overlap_at)).flatMap(([k, share]) => (typeof share === 'number' ? [{ k, share }] : [])),
      tensorrt: tensorrt(one),
    }
  })
}
