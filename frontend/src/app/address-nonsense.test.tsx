// @vitest-environment jsdom

import { cleanup, screen, waitFor } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { list, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const nonsense = 'foo=bar&version=zzz&page=-1&days=zzz&queue=-1'

test('what an address says that means nothing is not asked of the server, and leaves the address', async () => {
  const asked: string[] = []
  for (const path of ['/labeling/people', '/labeling/waiting'] as const) {
    receive('get', path, ({ url }) => {
      asked.push(url.search)
      return HttpResponse.json({ results: [] })
    })
  }
  openApp(`/team?${nonsense}`)
  expect(await screen.findByText('Nobody has labelled anything yet.')).toBeTruthy()
  expect(asked).toEqual(['', ''])
  await waitFor(() => expect(location.search).toBe(''))
})

test('what an address says that means something stays beside what does not', async () => {
  const asked: string[] = []
  receive('get', '/labeling/people', ({ url }) => {
    asked.push(url.search)
    return HttpResponse.json({ results: [] })
  })
  list('/labeling/waiting', [])
  openApp('/team?days=7&foo=bar')
  expect(await screen.findByText('Nobody labelled here in this time.')).toBeTruthy()
  expect(asked).toEqual(['?days=7'])
  await waitFor(() => expect(location.search).toBe('?days=7'))
})
