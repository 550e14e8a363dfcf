import '../mining.css'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'

import { api, take } from '../../../shared/api/client'
import type { NewMiningJob } from '../../../shared/api/types'
import { MiningForm } from './mining-form'

export function NewMiningJobPage() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const begin = useSearch({ from: '/inside/mining/new' })
  const start = useMutation({
    mutationFn: (body: NewMiningJob) => take(api.POST('/mining/jobs', { body })),
    onSuccess: async ({ id }) => {
      await Promise.all(['mining', 'jobs'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
      await navigate({ to: '/mining/$job', params: { job: String(id) }, ignoreBlocker: true })
    },
  })
  return (
    <div className="page">
      <h1>Mine samples</h1>
      <MiningForm begin={begin} error={start.error} pending={start.isPending} onStart={(body) => start.mutate(body)} />
    </div>
  )
}
