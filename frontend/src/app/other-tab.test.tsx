// @vitest-environment jsdom

import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { answer, list, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(() => {
  cleanup()
  document.cookie = 'csrftoken=; max-age=0'
})

test('a page notices that somebody else signed in in another tab, and says so', async () => {
  document.cookie = 'csrftoken=first'
  const ann = sessionOf('annotator')
  answer('get', '/session', { ...ann, user: { ...ann.user, username: 'ann' } })
  for (const path of ['/labeling/queues', '/labeling/comments', '/projects'] as const) list(path, [])
  openApp('/label')
  await screen.findByText('No samples are waiting for labels.')
  expect(screen.getByRole('button', { name: /ann.*sign out/ })).toBeTruthy()

  answer('get', '/session', { ...ann, user: { ...ann.user, username: 'bob' } })
  document.cookie = 'csrftoken=second'
  // What listens comes with a part of the page that is loaded by itself.
  await waitFor(() => {
    window.dispatchEvent(new Event('focus'))
    expect(screen.queryByText(/bob signed in/)).toBeTruthy()
  })
  await screen.findByText('bob signed in in another tab: this page is theirs now.')
  expect(await screen.findByRole('button', { name: /bob.*sign out/ })).toBeTruthy()
})
