import './backtests.css'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import { api, take } from '../../shared/api/client'
import type { NewBacktest } from '../../shared/api/types'
import { BacktestForm } from './backtest-form'

export function NewBacktestPage() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const start = useMutation({
    mutationFn: (body: NewBacktest) => take(api.POST('/backtests', { body })),
    onSuccess: async ({ id }) => {
      await Promise.all(['backtests', 'jobs'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
      await navigate({ to: '/backtests/$id', params: { id: String(id) }, ignoreBlocker: true })
    },
  })
  return (
    <div className="page">
      <h1>New back-test</h1>
      <BacktestForm error={start.error} pending={start.isPending} onStart={(body) => start.mutate(body)} />
    </div>
  )
}
