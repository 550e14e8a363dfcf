import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { cleanup, configure, render } from '@testing-library/react'

import { makeQueryClient } from '../../shared/api/query-client'
import { makeRouter } from '../router'

// A page of the application is some hundred modules, which a busy machine takes seconds to read.
configure({ asyncUtilTimeout: 20_000 })

/** Renders the whole web application at an address such as `/datasets`, in place of what a test opened before. */
export function openApp(address: string): void {
  cleanup()
  history.pushState(null, '', `/app${address}`)
  const client = makeQueryClient({ retry: false })
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={makeRouter()} />
    </QueryClientProvider>,
  )
}
