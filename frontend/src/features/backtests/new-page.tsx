import './backtests.css'

import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import { api, take } from '../../shared/api/client'
import type { NewBacktest } from '../../shared/api/types'
import { BacktestForm } from './backtest-form'

export function NewBacktestPage() {
  const navigate = useNavigate()
  const start = useMutation({
    mutationFn: (body: NewBacktest) => take(api.POST('/backtests', { body })),
    meta: { renews: [['backtests'], ['jobs']] },
    onSuccess: async ({ id }) => {
      await navigate({ to: '/backtests/$id', params: { id: String(id) }, ignoreBlocker: true })
    },
  })
  return (
    <div className="page">
      <h1>New back-test</h1>
      <BacktestForm sending={start} onStart={(body) => start.mutate(body)} />
    </div>
  )
}
