import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { api, take } from '../../../shared/api/client'
import type { Dataset } from '../../../shared/api/types'
import { count, plural } from '../../../shared/format/numbers'
import { CancelJob } from '../../../shared/live/cancel-job'
import { JobProgress } from '../../../shared/live/job-progress'
import { Failure } from '../../../shared/ui/messages'
import { embeddingsQuery } from '../similar/queries'

interface UnscoredProps {
  dataset: Dataset
  version: number | 'head'
  model: string
}

/** How many samples the model has not scored, and the way to it: scores and embeddings are computed together. */
export function Unscored({ dataset, version, model }: UnscoredProps) {
  const client = useQueryClient()
  const query = embeddingsQuery(dataset.name, version, { model, encoder: null })
  const { data, error } = useQuery(query)
  const mayBuild = useMay('build', dataset.project)
  const embedded = data?.embedded
  useEffect(() => {
    if (embedded === undefined) return
    for (const part of ['samples', 'facets', 'predictions']) void client.invalidateQueries({ queryKey: ['datasets', dataset.name, part] })
  }, [client, dataset.name, embedded])
  const start = useMutation({
    mutationFn: () =>
      take(
        api.POST('/datasets/{reference}/versions/{number}/embeddings', {
          params: { path: { reference: dataset.name, number: String(version) } },
          body: { model },
        }),
      ),
    onSuccess: (told) => client.setQueryData(query.queryKey, told),
  })
  if (!data) return error ? <Failure what="What the model has scored could not be counted" error={error} /> : null
  const { missing, unreadable, samples, job } = data
  if (missing === 0 && unreadable === 0) return null
  return (
    <span className="row wrap" role="status">
      {missing > 0 && (
        <span className="quiet">
          {count(missing)} of {plural(samples, 'sample')} not scored by it{job || mayBuild ? '' : ': ask an engineer or an owner of the project to score them'}
        </span>
      )}
      {unreadable > 0 && <span className="quiet">{plural(unreadable, 'image')} can&rsquo;t be read by it</span>}
      {missing > 0 && !job && mayBuild && (
        <button type="button" className="button little" disabled={start.isPending} onClick={() => start.mutate()}>
          {start.isPending ? 'Starting…' : missing === 1 ? 'Score it' : 'Score them'}
        </button>
      )}
      {missing > 0 && job && (
        <>
          <JobProgress id={job.id} what="Scoring" safe="What was scored is kept. Start it again to score the rest.">
            {() => <span className="quiet">Reading…</span>}
          </JobProgress>
          <CancelJob job={job} little />
        </>
      )}
      {start.error && <Failure what="The scoring could not be started" error={start.error} />}
    </span>
  )
}
