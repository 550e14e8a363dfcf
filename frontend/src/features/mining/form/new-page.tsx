import '../mining.css'

import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'

import { api, take } from '../../../shared/api/client'
import type { NewMiningJob } from '../../../shared/api/types'
import { MiningForm } from './mining-form'

export function NewMiningJobPage() {
  const navigate = useNavigate()
  const begin = useSearch({ from: '/inside/mining/new' })
  const start = useMutation({
    mutationFn: (body: NewMiningJob) => take(api.POST('/mining/jobs', { body })),
    meta: { renews: [['mining'], ['jobs']] },
    onSuccess: async ({ id }) => {
      await navigate({ to: '/mining/$job', params: { job: String(id) }, ignoreBlocker: true })
    },
  })
  return (
    <div className="page">
      <h1>Mine samples</h1>
      <MiningForm begin={begin} sending={start} onStart={(body) => start.mutate(body)} />
    </div>
  )
}
