import type { MiningJob } from '../../shared/api/types'
import { progressWords } from '../../shared/format/jobs'
import { count, duration, plural, rate } from '../../shared/format/numbers'
import { Progress } from '../../shared/ui/progress'

/** How far the scoring is: by sample, and by the shards that workers take. */
export function ProgressPanel({ job }: { job: MiningJob }) {
  const { progress: shards } = job
  const { progress, state } = job.job
  return (
    <section className="panel panel-body stack" aria-label="Progress">
      <Progress done={progress.done} total={progress.total} label={`Samples of mining ${job.id}`} />
      <p className="quiet small" role="status">
        {state === 'queued' ? 'It waits for a worker.' : progressWords(job.job)}
      </p>
          <Progress done={shards.shards_done} total={shards.shards} label={`Shards of mining ${job.id}`} />
          <p className="quiet small">
            {count(shards.shards_done)} of {plural(shards.shards, 'shard')}
            {shards.images_per_second !== null && ` · ${rate(shards.images_per_second, 'images')}`}
            {shards.eta_seconds !== null && ` · ${duration(shards.eta_seconds)} left`}
            {shards.quarantined > 0 && ` · ${plural(shards.quarantined, 'image')} in quarantine`}
          </p>
    </section>
  )
}
