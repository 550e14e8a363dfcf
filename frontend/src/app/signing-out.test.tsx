// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import { decisions } from '../features/review/decisions-app'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

test('nobody is signed out while a decision of theirs is not saved', async () => {
  answer('get', '/session', sessionOf('reviewer'))
  for (const path of ['/labeling/queues', '/labeling/comments', '/labeling/reviews', '/projects'] as const) list(path, [])
  receive('post', '/labeling/reviews/3/decide', () => refusal({ status: 503, detail: 'Restarting.' }))
  const left = receive('delete', '/session', () => refusal({ status: 500, detail: 'This must not be asked.' }))
  openApp('/label')
  await screen.findByRole('button', { name: /sign out/ })
  decisions.add({ review: 3, value: { class: 'nut' }, reason: '', answer: null, words: 'a.png: nut' })
  await screen.findByText('Offline — 1 decision kept on this computer, retrying')
  await userEvent.click(screen.getByRole('button', { name: /sign out/ }))
  await screen.findByText('Some labels or decisions are not saved yet; stay signed in until the server has them.')
  expect(left).toHaveLength(0)
  for (const { id } of decisions.snapshot().entries) decisions.forget(id)
})
