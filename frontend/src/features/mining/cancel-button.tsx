import { useMutation, useQueryClient } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { explain } from '../../shared/api/errors'
import type { MiningJob } from '../../shared/api/types'
import { toast } from '../../shared/ui/toast-store'

export function CancelButton({ job }: { job: MiningJob }) {
  const client = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => take(api.POST('/jobs/{id}/cancel', { params: { path: { id: job.job.id } } })),
    onSuccess: () => Promise.all(['mining', 'jobs'].map((noun) => client.invalidateQueries({ queryKey: [noun] }))),
    onError: (error) => toast('bad', `The job goes on. ${explain(error)}`),
  })
  return (
    <button type="button" className="button" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
      {cancel.isPending ? 'Cancelling…' : 'Cancel'}
    </button>
  )
}
