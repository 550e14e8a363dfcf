import '../shared/styles/tokens.css'
import '../shared/styles/base.css'
import './shell.css'

import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { ApiProblem } from '../shared/api/errors'
import { makeQueryClient } from '../shared/api/query-client'
import { makeRouter } from './router'

const queryClient = makeQueryClient({
  staleTime: 5_000,
  // A clear no stays a no; silence is worth a second try.
  retry: (failures, error) => !(error instanceof ApiProblem) && failures < 1,
})

// No page is drawn from it, so it comes beside the first one.
const outboxStarted = import('../features/labeling/outbox-app').then(({ outbox, startOutbox }) => {
  startOutbox()
  return outbox
})

/** Whether nothing waits to be sent. What could not even be loaded has taken nothing in. */
async function isAllSent(): Promise<boolean> {
  const outbox = await outboxStarted.catch(() => null)
  await outbox?.drain()
  return (outbox?.snapshot().waiting ?? 0) === 0
}

// After a deployment the old chunks are gone: one reload fetches the new ones, once nothing waits to be sent.
const reloadMark = 'motherlode.reloaded'
window.addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem(reloadMark) === location.pathname) return
  event.preventDefault()
  void isAllSent().then((sent) => {
    if (!sent) return
    sessionStorage.setItem(reloadMark, location.pathname)
    location.reload()
  })
})

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
