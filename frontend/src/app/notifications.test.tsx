// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { answer, receive, refusal, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

const queue = {
  key: 'label:3', kind: 'label', title: '20 images to label in pets-3', detail: 'Dataset pets', path: '/app/label/3', project: 'default',
  at: '2026-11-30T03:00:00Z', seen: false,
}
const job = { ...queue, key: 'job:8', kind: 'job', title: 'Failed: export of pets', detail: 'no space', path: '/app/jobs/8', seen: true }
const waiting = { results: [queue, job], unseen: 1, left_out: 0, mail: true, mail_to: 'ana@example.org' }

test('the bell counts what is new, and leads an annotator to the list', async () => {
  answer('get', '/session', sessionOf('annotator'))
  answer('get', '/session/notifications', waiting)
  openApp('/settings')
  await userEvent.click(await screen.findByRole('link', { name: 'Notifications, 1 new' }))
  const list = within(await screen.findByRole('region', { name: 'What waits for you' }))
  expect(list.getByRole('link', { name: queue.title }).getAttribute('href')).toBe('/app/label/3')
  expect(list.getAllByText('New')).toHaveLength(1)
  expect(list.getByText(/^no space · default/)).toBeDefined()
})

test('all are marked as seen, and the bell forgets its count', async () => {
  answer('get', '/session/notifications', waiting)
  const sent = receive('patch', '/session/notifications', () => HttpResponse.json({ ...waiting, results: [{ ...queue, seen: true }, job], unseen: 0 }))
  openApp('/notifications')
  await userEvent.click(await screen.findByRole('button', { name: 'Mark all as seen' }))
  await screen.findByRole('link', { name: 'Notifications' })
  expect(sent).toEqual([{ seen: true }])
  expect(screen.queryByRole('button', { name: 'Mark all as seen' })).toBeNull()
})

test('mail is turned off, and a refusal says why', async () => {
  answer('get', '/session/notifications', waiting)
  const sent = receive('patch', '/session/notifications', ({ body }) =>
    (body as { mail: boolean }).mail ? refusal({ status: 503, detail: 'not now' }) : HttpResponse.json({ ...waiting, mail: false }),
  )
  openApp('/notifications')
  const box = await screen.findByRole('checkbox', { name: /Send me mail/ })
  expect(screen.getByText(/Mail goes to ana@example.org/)).toBeDefined()
  await userEvent.click(box)
  await waitFor(() => expect(screen.getByRole('checkbox', { name: /Send me mail/ })).toHaveProperty('checked', false))
  await userEvent.click(screen.getByRole('checkbox', { name: /Send me mail/ }))
  await screen.findByText(/not now/)
  expect(sent).toEqual([{ mail: false }, { mail: true }])
})

test('where nothing waits and no mail can be sent, the page says both', async () => {
  openApp('/notifications')
  await screen.findByText(/^Nothing is waiting for you/)
  await screen.findByText(/^No mail is sent now/)
})
