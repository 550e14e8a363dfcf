import type { MiningJob } from '../../shared/api/types'
import type { MiningSearch } from '../../shared/routes/mining-search'

/** The jobs that a search is for: every word must stand somewhere in what the job is about. */
export function fitting(jobs: readonly MiningJob[], { q, state }: MiningSearch): MiningJob[] {
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return jobs.filter((job) => {
    const about = `mining ${job.id} ${job.dataset} ${job.model} ${job.strategy.name.replaceAll('_', ' ')} ${job.queue ?? ''}`.toLowerCase()
    return (state === undefined || job.job.state === state) && words.every((word) => about.includes(word))
  })
}
