// @vitest-environment jsdom

import { cleanup, screen, waitFor } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { list, receive, refusal, serveNothing } from './testing/server'

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

test('a kind of job that the server does not know leaves the address, and all jobs are shown', async () => {
  const job = {
    id: 7, kind: 'train', title: 'Train small_cnn', state: 'running', result: null, error: null, created: '2026-11-01T12:00:00Z', started: null, finished: null,
    progress: { done: 0, total: 1, rate: null, eta: null, unit: 'steps' }, failed_shards: 0, priority: 'normal', project: 'default', retriable: false, url: '/jobs/7', href: '/runs/1',
  }
  receive('get', '/jobs', ({ url }) =>
    url.searchParams.get('kind') === 'zzz'
      ? refusal({ status: 400, detail: "kind: ['zzz'] unknown: use train", errors: { kind: ["['zzz'] unknown: use train"] } })
      : HttpResponse.json({ results: [job], next: null, kinds: ['train'] }),
  )
  openApp('/jobs?kind=zzz&state=running')
  expect(await screen.findByRole('rowheader', { name: /Train small_cnn/ })).toBeTruthy()
  expect(screen.queryByText('The jobs could not be loaded')).toBeNull()
  await waitFor(() => expect(location.search).toBe('?state=running'))
})
