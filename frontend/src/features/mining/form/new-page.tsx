import '../mining.css'

import { useMutation } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'

import { api, take } from '../../../shared/api/client'
import type { NewMiningJob } from '../../../shared/api/types'
import { begunWith } from './draft'
import { MiningForm } from './mining-form'

export function NewMiningJobPage() {
  const navigate = useNavigate()
  const search = useSearch({ from: '/inside/mining/new' })
  const wanted = useLocation({ select: ({ state }) => state.wanted })
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
      <MiningForm begin={begunWith(search, wanted)} sending={start} onStart={(body) => start.mutate(body)} />
    </div>
  )
}
