import './sweeps.css'

import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import { api, take } from '../../../shared/api/client'
import type { NewSweep } from '../../../shared/api/types'
import { SweepForm } from './sweep-form'

export function NewSweepPage() {
  const navigate = useNavigate()
  const start = useMutation({
    mutationFn: (body: NewSweep) => take(api.POST('/sweeps', { body })),
    meta: { renews: [['sweeps'], ['runs'], ['jobs']] },
    onSuccess: async ({ id }) => {
      await navigate({ to: '/sweeps/$id', params: { id: String(id) }, ignoreBlocker: true })
    },
  })
  return (
    <div className="page">
      <h1>New sweep</h1>
      <SweepForm sending={start} onStart={(body) => start.mutate(body)} />
    </div>
  )
}
