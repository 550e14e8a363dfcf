import type { RunPoint } from '../../shared/api/types'
import { taskTypes } from '../../tasktypes'
import { metricWords } from '../../tasktypes/metric-words'

const headlines = [...new Set(Object.values(taskTypes).flatMap(({ judging }) => (judging ? [judging.headline] : [])))]

/** What a training says at a step, as charts: the names that share one, in the order of the page. */
const charts = [
  { title: 'Loss', names: ['loss', 'train_loss', 'validation_loss'] },
  ...headlines.map((name) => ({ title: metricWords(name), names: [name, `train_${name}`, `validation_${name}`] })),
  { title: 'Learning rate', names: ['lr'] },
  { title: 'Images per second', names: ['images_per_second'] },
]

/** A class of which images got a pseudo-label follows. */
const pseudoLabels = 'pseudo_labels_'

/** Said of the run as a whole beside the charts, not drawn. */
const notDrawn = new Set(['eta_seconds'])

export interface Line {
  name: string
  /** One for each step; null where the step has no such value. */
  values: (number | null)[]
}

export interface Chart {
  title: string
  steps: number[]
  lines: Line[]
}

/** The charts that the points fill, each with the steps at which one of its lines has a value. */
export function toCharts(points: readonly RunPoint[]): Chart[] {
  const known = new Set<string>(charts.flatMap(({ names }) => names))
  const others = [...new Set(points.flatMap(({ values }) => Object.keys(values)))].filter((name) => !known.has(name) && !notDrawn.has(name))
  const pseudo = { title: 'Share of each class in the pseudo-labels', names: others.filter((name) => name.startsWith(pseudoLabels)) }
  const all = [...charts, pseudo, ...others.filter((name) => !pseudo.names.includes(name)).map((name) => ({ title: words(name), names: [name] }))]
  return all.flatMap(({ title, names }) => {
    const drawn = names.filter((name) => points.some(({ values }) => name in values))
    const held = bySteps(points).filter(({ values }) => drawn.some((name) => name in values))
    if (held.length === 0) return []
    const lines = drawn.map((name) => ({ name: name.startsWith(pseudoLabels) ? name.slice(pseudoLabels.length) : words(name), values: held.map(({ values }) => values[name] ?? null) }))
    return [{ title, steps: held.map(({ step }) => step), lines }]
  })
}

/** The newest value of a name, or null before the first. */
export function newest(points: readonly RunPoint[], name: string): number | null {
  return points.findLast(({ values }) => name in values)?.values[name] ?? null
}

/** One for each step, in order: what is said twice of a step, as after a resume, counts as it was said last. */
function bySteps(points: readonly RunPoint[]): { step: number; values: Record<string, number> }[] {
  const found = new Map<number, Record<string, number>>()
  for (const { step, values } of points) found.set(step, { ...found.get(step), ...values })
  return [...found].map(([step, values]) => ({ step, values })).sort((a, b) => a.step - b.step)
}

/** `validation_map` -> `Validation mean average precision`. */
function words(name: string): string {
  const [, part = '', measured = name] = /^(train_|validation_)(.+)$/.exec(name) ?? []
  const spaced = name === 'lr' ? 'learning rate' : `${part.replace('_', ' ')}${metricWords(measured).toLowerCase()}`
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

interface Compared {
  series: { name: string; curves: number[][][] }[]
  /** What each curve is called, in the order of the curves. */
  names: readonly string[]
}

/** One chart for each thing that was measured, with a line for each run that has it, over the steps of all. */
export function comparedCharts({ series, names }: Compared): Chart[] {
  return series
    .filter(({ name }) => !notDrawn.has(name))
    .map(({ name, curves }) => {
      const steps = [...new Set(curves.flatMap((points) => points.map(([step = 0]) => step)))].sort((a, b) => a - b)
      const lines = curves.flatMap((points, place) => {
        if (points.length === 0) return []
        const at = new Map(points.map(([step = 0, value]) => [step, value ?? null]))
        return [{ name: names[place] ?? '', values: steps.map((step) => at.get(step) ?? null) }]
      })
      return { title: words(name), steps, lines }
    })
}
