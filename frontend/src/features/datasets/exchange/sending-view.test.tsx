// @vitest-environment jsdom

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { asProblem } from '../../../shared/api/client'
import { ApiProblem } from '../../../shared/api/errors'
import { SendingView } from './sending-view'

afterEach(cleanup)

test('what refused all the rest is named, file by file', () => {
  const answer = { code: 'not_all_accepted', detail: '1 item could not be taken, so nothing was.', rejected: [{ key: 'broken.png', detail: 'no image' }] }
  const error = new ApiProblem(asProblem(answer, { status: 400, statusText: 'Bad Request' }))
  const never = () => Promise.resolve()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SendingView sending={{ state: 'failed', error, send: never, sendArchive: never, again: never, stop: () => undefined }} dataset="pets" />
    </QueryClientProvider>,
  )
  expect(within(screen.getByRole('list', { name: 'Not taken' })).getByRole('listitem').textContent).toBe('broken.png: no image')
})
