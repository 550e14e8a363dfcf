import { useMutation, useQueryClient } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { Job } from '../../shared/api/types'

/** Takes up what failed or was cancelled again; what is done stays done. */
export function RetryButton({ job, little = false }: { job: Job; little?: boolean }) {
  const client = useQueryClient()
  const retry = useMutation({
    mutationFn: () => take(api.POST('/jobs/{id}/retry', { params: { path: { id: job.id } } })),
    meta: { refused: 'The job was not changed.' },
    onSuccess: () => client.invalidateQueries(),
  })
  return (
    <button type="button" className={`button ${little ? 'little' : ''}`} disabled={retry.isPending} onClick={() => retry.mutate()}>
      {retry.isPending ? 'Retrying…' : 'Retry'}
      <span className="visually-hidden"> {job.title}</span>
    </button>
  )
}
