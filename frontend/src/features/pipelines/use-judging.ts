import { useQuery } from '@tanstack/react-query'

import { datasetsQuery } from '../../shared/api/queries'
import type { Pipeline } from '../../shared/api/types'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'
import { taskOf } from './compared'

/** How the models of a pipeline are judged. */
export function useJudging(pipeline: Pipeline) {
  return judgingOf(taskOf(pipeline, useQuery(datasetsQuery).data ?? []), { gates: pipeline.gates })
}

/** What its triggers and stopping rules go by, in words. */
export function useShareWords(pipeline: Pipeline): string {
  return metricWords(useJudging(pipeline).rightShare).toLowerCase()
}
