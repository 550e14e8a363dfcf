// @vitest-environment jsdom

import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { makeQueryClient } from '../shared/api/query-client'
import { DeleteDialog } from '../shared/lifecycle/delete-dialog'
import { answer, receive, serveNothing } from './testing/server'
import './testing/browser-gaps'

serveNothing()
afterEach(cleanup)

test('what was read of a thing is forgotten once it is deleted', async () => {
  answer('get', '/pipelines/3/deletion', { name: 'night', allowed: true, goes: [], stays: [], needs: [], busy: [] })
  receive('post', '/pipelines/3/deletion', () => HttpResponse.json({}, { status: 202 }))
  const client = makeQueryClient({})
  client.setQueryData(['pipelines', '3'], { id: 3, name: 'night' })
  render(
    <QueryClientProvider client={client}>
      <DeleteDialog kind="pipeline" thing={{ id: 3, name: 'night', archived: '2026-11-01T12:00:00Z' }} onClose={() => undefined} />
    </QueryClientProvider>,
  )
  await userEvent.type(await screen.findByRole('textbox'), 'night')
  await userEvent.click(screen.getByRole('button', { name: 'Delete the pipeline' }))
  await waitFor(() => expect(client.getQueryData(['pipelines', '3'])).toBeUndefined())
})
