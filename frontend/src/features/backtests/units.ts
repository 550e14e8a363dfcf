import type { Backtest } from '../../shared/api/types'
import { taskTypeOf } from '../../tasktypes'
import { metricShort } from '../../tasktypes/metric-words'

/** What is counted and measured, as people say it. */
export interface Units {
  /** `accuracy`, `mAP`. */
  figure: string
  /** What people are asked to label: `labels`, or `images` where a label holds objects. */
  label: string
  labels: string
  /** What they draw, null where a label is one answer. */
  objects: string | null
}

export function unitsOf({ task, metric }: Pick<Backtest, 'task' | 'metric'>): Units {
  const drawn = taskTypeOf(task).answer === 'shapes'
  return {
    figure: metricShort(metric),
    label: drawn ? 'image' : 'label',
    labels: drawn ? 'images' : 'labels',
    objects: drawn ? taskTypeOf(task).counted.toLowerCase() : null,
  }
}

/** Before there is a back-test: those of a dataset's task. */
export function unitsFor(task = ''): Units {
  return unitsOf({ task, metric: taskTypeOf(task).judging?.headline ?? 'accuracy' })
}
