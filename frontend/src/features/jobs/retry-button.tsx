import { useMutation, useQueryClient } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { explain } from '../../shared/api/errors'
import type { Job } from '../../shared/api/types'
import { toast } from '../../shared/ui/toast-store'

/** Takes up what failed or was cancelled again; what is done stays done. */
export function RetryButton({ job, little = false }: { job: Job; little?: boolean }) {
  const client = useQueryClient()
  const retry = useMutation({
    mutationFn: () => take(api.POST('/jobs/{id}/retry', { params: { path: { id: job.id } } })),
    onSuccess: () => client.invalidateQueries(),
    onError: (error) => toast('bad', `The job is as it was. ${explain(error)}`),
  })
  return (
    <button type="button" className={`button ${little ? 'little' : ''}`} disabled={retry.isPending} onClick={() => retry.mutate()}>
      {retry.isPending ? 'Retrying…' : 'Retry'}
      <span className="visually-hidden"> {job.title}</span>
    </button>
  )
}
