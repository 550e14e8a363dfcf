// @vitest-environment jsdom

import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { list, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const token = { id: 3, name: 'laptop', scope: 'all', project: null, created: '2026-11-20T08:00:00Z', expires: null, last_used: null, last_address: null }

test('a token is made that only reads and expires, and the list says of each how long it is good, and for what', async () => {
  list('/people/me/tokens', [
    token,
    { ...token, id: 4, name: 'dashboard', scope: 'read', expires: '2026-11-21T08:00:00Z' },
  ])
  const sent = receive('post', '/people/me/tokens', () => HttpResponse.json({ ...token, secret: 'ml_x' }, { status: 201 }))
  openApp('/settings')
  const old = await screen.findByRole('row', { name: /dashboard/ })
  expect(old.textContent).toContain('read-only')
  expect(old.textContent).toContain('expired ')
  expect(screen.getByRole('row', { name: /laptop/ }).textContent).not.toContain('expired')

  await userEvent.type(screen.getByLabelText('New token'), 'camera')
  await userEvent.selectOptions(screen.getByLabelText('Scope'), 'read-only')
  await userEvent.selectOptions(screen.getByLabelText('Expires'), 'in 90 days')
  await userEvent.click(screen.getByRole('button', { name: 'Create a token' }))
  await waitFor(() => expect(sent).toEqual([{ name: 'camera', scope: 'read', expires_in_days: 90 }]))
  expect(await screen.findByRole('dialog')).toBeTruthy()
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'New token', hidden: true }).value).toBe('')
})
