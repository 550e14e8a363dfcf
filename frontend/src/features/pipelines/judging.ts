import type { Pipeline } from '../../shared/api/types'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'

/** How the models of a pipeline are judged. */
export function judgingIn({ task, gates }: Pipeline) {
  return judgingOf(task, { gates })
}

/** What its triggers and stopping rules go by, in words. */
export function shareWords(pipeline: Pipeline): string {
  return metricWords(judgingIn(pipeline).rightShare).toLowerCase()
}
