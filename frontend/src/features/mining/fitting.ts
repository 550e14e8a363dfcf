import type { MiningJob } from '../../shared/api/types'
import { fits } from '../../shared/lists/fits'
import type { MiningSearch } from '../../shared/routes/mining-search'

/** What stands in place of a model where a job has none. */
export const withoutModel = 'ImageNet features'

/** The jobs that a search is for. */
export function fitting(jobs: readonly MiningJob[], { q, state }: MiningSearch): MiningJob[] {
  return jobs.filter((job) => {
    const about = ['mining', job.id, job.dataset, job.model ?? withoutModel, job.strategy.name.replaceAll('_', ' '), job.queue]
    return (state === undefined || job.job.state === state) && fits(about, q)
  })
}

/** Of the upright image, in pixels; null where it was never measured. */
export function sizeOf({ width, height }: { width: number | null; height: number | null }): { width: number; height: number } | null {
  return width !== null && height !== null ? { width, height } : null
}
