import { type JsonRecord, list, number, record } from './reading'

/** Precision and score at each recall 0, 0.01, .., 1, at an IoU of 0.5; both are 0 where it is not reached. */
export interface RecallCurve {
  name: string
  precision: number[]
  score: number[]
}

/** Of the classes that have objects, in their order. */
export function recallCurves(metrics: JsonRecord, classes: readonly string[]): RecallCurve[] {
  const found = record(metrics.curves)
  return classes.flatMap((name) => {
    const one = record(found[name])
    const [precision, score] = [one.precision, one.score].map((points) => list(points).map((point) => number(point) ?? 0))
    return precision && score && precision.length > 1 && score.length === precision.length ? [{ name, precision, score }] : []
  })
}
