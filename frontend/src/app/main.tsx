import '../shared/styles/tokens.css'
import '../shared/styles/base.css'
import './shell.css'

import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { outbox, startOutbox } from '../features/labeling/outbox-app'
import { ApiProblem, Unreachable } from '../shared/api/errors'
import { makeQueryClient } from '../shared/api/query-client'
import { pollInterval } from '../shared/live/interval'
import { makeRouter } from './router'

const queryClient = makeQueryClient({
  staleTime: 5_000,
  // A clear no stays a no; silence is worth a second try.
  // A page that could not reach the server mends itself when the server is back.
  refetchInterval: ({ state }) => state.error instanceof Unreachable && pollInterval('queued', Math.min(state.errorUpdateCount, 3), document.hidden),
  retry: (failures, error) => !(error instanceof ApiProblem) && failures < 1,
})

// After a deployment the old chunks are gone: one reload fetches the new ones, once nothing waits to be sent.
const reloadMark = 'motherlode.reloaded'
window.addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem(reloadMark) === location.pathname) return
  event.preventDefault()
  void outbox.drain().then(() => {
    if (outbox.snapshot().waiting > 0) return
    sessionStorage.setItem(reloadMark, location.pathname)
    location.reload()
  })
})

startOutbox()

const router = makeRouter()
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
