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
  /** The probability from which on it is named; null where the likeliest is. */
  threshold: number | null
}

/** In the order of the classes; those that the evaluation does not know are left out. */
export function classRows(metrics: JsonRecord, classes: readonly string[], names: readonly string[]): ClassRow[] {
  const found = record(metrics.per_class)
  const thresholds = record(record(metrics.calibration).thresholds)
  return classes.flatMap((name) => {
    if (!(name in found)) return []
    const one = record(found[name])
    return [{ name, support: number(one.support), figures: figuresOf(one, names), threshold: number(thresholds[name]) }]
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

/** matrix[true][predicted]; null where the evaluation has none that fits the classes. */
export function confusion(metrics: JsonRecord, classes: readonly string[]): number[][] | null {
  const rows = list(metrics.confusion).map((row) => list(row).map((cell) => number(cell) ?? 0))
  const fits = rows.length === classes.length && rows.every((row) => row.length === classes.length)
  return fits && rows.length > 0 ? rows : null
}

export interface ConfusedPair {
  label: string
  predicted: string
  samples: number
}

/** The classes most often taken for another, from the matrix where the evaluation does not list them. */
export function confusedPairs(metrics: JsonRecord, classes: readonly string[]): ConfusedPair[] {
  const told = list(metrics.confused).flatMap((pair) => {
    const [label, predicted, samples] = list(pair)
    const [a, b, n] = [text(label), text(predicted), number(samples)]
    return a !== null && b !== null && n !== null ? [{ label: a, predicted: b, samples: n }] : []
  })
  if (told.length > 0) return told
  const cells = (confusion(metrics, classes) ?? []).flatMap((row, from) =>
    row.map((samples, to) => ({ label: classes[from] ?? '', predicted: classes[to] ?? '', samples })),
  )
  return cells.filter((cell) => cell.label !== cell.predicted && cell.samples > 0).sort((a, b) => b.samples - a.samples)
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

export interface Worst {
  key: string
  md5: string
  label: string
  predicted: string
  confidence: number | null
}

export function worstExamples(metrics: JsonRecord): Worst[] {
  return list(metrics.worst).flatMap((said) => {
    const one = record(said)
    const [key, md5, label, predicted] = [text(one.key), text(one.md5), text(one.label), text(one.predicted)]
    if (key === null || md5 === null || label === null || predicted === null) return []
    return [{ key, md5, label, predicted, confidence: number(one.confidence) }]
  })
}
