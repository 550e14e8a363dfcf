import { useMutation, useQueryClient } from '@tanstack/react-query'

import { useMay } from '../access/use-may'
import { api, take } from '../api/client'
import type { Job } from '../api/types'

/** Lists and documents that hold jobs. */
const holders = ['jobs', 'mining', 'backtests', 'sweeps', 'runs', 'maps', 'datasets', 'pipelines']

interface CancelJobProps {
  job: Pick<Job, 'id' | 'title'>
  /** Heard after `Cancel`, where several such buttons stand on a page. */
  name?: string
  little?: boolean
}

/** Stops a job, for those who may; what it had finished is kept. */
export function CancelJob({ job, name, little = false }: CancelJobProps) {
  const client = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => take(api.POST('/jobs/{id}/cancel', { params: { path: { id: job.id } } })),
    meta: { refused: 'The job is still running.' },
    onSuccess: () => Promise.all(holders.map((noun) => client.invalidateQueries({ queryKey: [noun] }))),
  })
  if (!useMay('build')) return null
  return (
    <button type="button" className={`button ${little ? 'little' : ''}`} disabled={cancel.isPending} onClick={() => cancel.mutate()}>
      {cancel.isPending ? 'Cancelling…' : 'Cancel'}
      {name !== undefined && <span className="visually-hidden"> {name}</span>}
    </button>
  )
}
