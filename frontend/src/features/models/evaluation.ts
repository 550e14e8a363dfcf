import type { Box } from '../../shared/format/labels'
import { type Interval, interval, list, number, type JsonRecord, record, text } from './reading'

/** A figure with its 95 % interval; null where the evaluation has none. */
export interface Figure {
  value: number | null
  interval: Interval | null
}

/** With its own bounds where it has some, else with those of the bootstrap. */
export function figure(metrics: JsonRecord, name: string): Figure {
  const own = interval([metrics[`${name}_low`], metrics[`${name}_high`]])
  return { value: number(metrics[name]), interval: own ?? interval(metrics[`${name}_interval`]) ?? interval(record(metrics.intervals)[name]) }
}

export interface ClassRow {
  name: string
  support: number | null
  /** By name. */
  figures: Record<string, Figure>
  /** The probability, or score, from which on it is named; null where the likeliest is. */
  threshold: number | null
}

/** In the order of the classes; those that the evaluation does not know are left out. */
export function classRows(metrics: JsonRecord, classes: readonly string[], names: readonly string[]): ClassRow[] {
  const found = record(metrics.per_class)
  const thresholds = record(record(metrics.calibration).thresholds)
  return classes.flatMap((name) => {
    if (!(name in found)) return []
    const one = record(found[name])
    return [{ name, support: number(one.support), figures: figuresOf(one, names), threshold: number(thresholds[name]) ?? number(one.threshold) }]
  })
}

function figuresOf(told: JsonRecord, names: readonly string[]): Record<string, Figure> {
  return Object.fromEntries(names.map((name) => [name, figure(told, name)]))
}

export interface SliceRow {
  name: string
  samples: number | null
  /** By name. */
  figures: Record<string, Figure>
  /** Why there are no figures. */
  missing: string | null
}

export function sliceRows(slices: unknown, names: readonly string[]): SliceRow[] {
  return Object.entries(record(slices)).map(([name, said]) => {
    const one = record(said)
    return {
      name,
      samples: number(one.samples),
      figures: figuresOf(one, names),
      missing: text(one.not_computed),
    }
  })
}

export interface Calibration {
  temperature: number
  samples: number | null
  before: number | null
  after: number | null
}

export function calibration(metrics: JsonRecord): Calibration | null {
  const found = record(metrics.calibration)
  const temperature = number(found.temperature)
  if (temperature === null) return null
  return { temperature, samples: number(found.samples), before: number(found.ece_before), after: number(found.ece_after) }
}

/** By class, those that were chosen for an ONNX file on validation samples. */
export function thresholdsOf(metrics: JsonRecord, artifact: string): Record<string, number> {
  const variant = artifact.replace(/^model\./, '').replace(/\.?onnx$/, '')
  const measured = variant === '' ? metrics : record(record(metrics.variants)[variant])
  const found = Object.entries(record(record(measured.calibration).thresholds))
  return Object.fromEntries(found.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])))
}

export interface Worst {
  key: string
  md5: string
  label: string
  predicted: string
  confidence: number | null
  /** What is there and what the model found, with places as fractions of the image; empty of other tasks. */
  objects: WorstObject[]
  boxes: Box[]
}

export interface WorstObject extends Box {
  found: boolean
}

function placesOf(told: unknown): JsonRecord[] {
  return list(told).map(record).filter((one) => list(one.box).length === 4 && text(one.class) !== null)
}

function boxOf(one: JsonRecord): Box {
  return { class: text(one.class) ?? '', box: list(one.box).map((part) => number(part) ?? 0) as Box['box'] }
}

export function worstExamples(metrics: JsonRecord): Worst[] {
  return list(metrics.worst).flatMap((said) => {
    const one = record(said)
    const [key, md5, label, predicted] = [text(one.key), text(one.md5), text(one.label), text(one.predicted)]
    if (key === null || md5 === null || label === null || predicted === null) return []
    const objects = placesOf(one.objects).map((object) => ({ ...boxOf(object), found: object.found === true }))
    return [{ key, md5, label, predicted, confidence: number(one.confidence), objects, boxes: placesOf(one.boxes).map(boxOf) }]
  })
}
