import { taskTypes } from '.'
import { metricWords } from './metric-words'
import type { FigureName, Judging } from './task-type'

interface Told {
  /** As the API names it, of a round or a point of a curve. */
  metric?: string | null
  gates?: readonly Record<string, unknown>[]
  /** An evaluation. */
  metrics?: Record<string, unknown>
}

/** How models of a task are judged; of a task that is not known here, as far as the API told of one. */
export function judgingOf(task: string, told: Told = {}): Judging {
  const known = Object.hasOwn(taskTypes, task) ? taskTypes[task as keyof typeof taskTypes].judging : null
  return known ?? fromTold(told)
}

function fromTold({ metric, gates = [], metrics = {} }: Told): Judging {
  const headline = metric ?? headlineOf(gates)
  const figures = namesIn(metrics.intervals).filter((name) => name !== headline)
  const [first] = Object.values(asRecord(metrics.per_class))
  return {
    headline,
    rightShare: 'accuracy',
    figures: [headline, ...figures].map(figureName),
    sliceFigures: [headline],
    classFigures: namesIn(asRecord(first).intervals).map(figureName),
    confusion: 'confusion' in metrics,
    errors: { missed: (name) => `missed ${name ?? 'classes'}`, wrong: (name) => `wrong ${name ?? 'classes'}` },
  }
}

/** What the gate bounds that every model has by default; without one, what most task types go by. */
function headlineOf(gates: readonly Record<string, unknown>[]): string {
  const bound = gates.find((gate) => typeof gate.metric === 'string' && 'min_delta' in gate && !('class' in gate) && !('slice' in gate))
  return typeof bound?.metric === 'string' ? bound.metric : 'accuracy'
}

function figureName(name: string): FigureName {
  return { name, title: metricWords(name) }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function namesIn(intervals: unknown): string[] {
  return Object.keys(asRecord(intervals))
}
