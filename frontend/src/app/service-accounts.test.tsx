// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { choose } from './testing/choose'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

const since = '2026-11-20T08:00:00Z'
const person = { id: 1, username: 'owner', role: 'owner', projects: [], active: true, email: null, provider: false, service: false, created: since, last_seen: null, tokens: 1 }
const nightly = { ...person, id: 5, username: 'nightly', role: 'engineer', projects: [{ project: 'default', role: 'engineer' }], service: true }
const project = { id: 1, name: 'default', description: '', created: since, members: 1 }

test('an account for a program is added with a token that expires, and listed apart, never as an owner of the platform', async () => {
  answer('get', '/session', sessionOf('owner'))
  list('/projects', [project])
  list('/people', [nightly, person])
  const sent = receive('post', '/people', () => HttpResponse.json({ ...nightly, token: 'ml_x' }, { status: 201 }))
  openApp('/people')
  const services = within(await screen.findByRole('region', { name: 'Service accounts' }))
  const roles = within(services.getByLabelText('Role of nightly')).getAllByRole('option').map((each) => each.textContent)
  expect(roles).not.toContain('Owner')
  expect(services.queryByText('owner')).toBeNull()

  await userEvent.click(screen.getByRole('button', { name: 'Add a person' }))
  await userEvent.type(screen.getByLabelText('Username'), 'nightly')
  await userEvent.click(screen.getByRole('checkbox', { name: /^Service account/ }))
  await userEvent.selectOptions(screen.getByLabelText('Its first token expires'), 'in 30 days')
  expect(screen.queryByRole('radio', { name: /^Owner/ })).toBeNull()
  await userEvent.click(screen.getByRole('radio', { name: /^Engineer/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Add and create a token' }))
  await waitFor(() => expect(sent).toEqual([{ username: 'nightly', role: 'engineer', service: true, expires_in_days: 30 }]))
  expect(await screen.findByRole('dialog', { name: 'The first token of nightly' })).toBeTruthy()
  expect(screen.queryByText(/link that signs/)).toBeNull()
  await userEvent.click(screen.getByLabelText('I have copied it'))
  await userEvent.click(screen.getByRole('button', { name: 'Done' }))
})

test('its tokens always expire, and one may be limited to a project', async () => {
  answer('get', '/session', sessionOf('owner'))
  list('/projects', [project, { ...project, id: 2, name: 'roads' }])
  list('/people', [nightly, person])
  list('/people/5/tokens', [])
  const token = { id: 3, name: 'ci', scope: 'all', project: 'default', created: since, expires: since, last_used: null, last_address: null }
  const sent = receive('post', '/people/5/tokens', () => HttpResponse.json({ ...token, secret: 'ml_x' }, { status: 201 }))
  openApp('/people')
  await userEvent.click(await screen.findByRole('button', { name: /1 token ?of nightly/ }))
  await userEvent.type(await screen.findByLabelText('New token'), 'ci')
  expect(within(screen.getByLabelText('Expires')).queryByRole('option', { name: 'never' })).toBeNull()
  await choose(screen.getByLabelText('Where'), 'default only')
  await userEvent.click(screen.getByRole('button', { name: 'Create a token' }))
  await waitFor(() => expect(sent).toEqual([{ name: 'ci', scope: 'all', expires_in_days: 90, project: 'default' }]))
})

test('with an identity provider people have an email to sign in by, programs have none', async () => {
  answer('get', '/session', sessionOf('owner'))
  answer('get', '/session/options', { provider: { name: 'Example', address: '/session/oidc' } })
  list('/projects', [project])
  list('/people', [nightly, { ...person, id: 7, username: 'ana', email: 'ana@example.org', provider: true }, person])
  const sent = receive('patch', '/people/7', () => HttpResponse.json(person))
  openApp('/people')
  const row = await screen.findByRole('row', { name: /ana@example.org/ })
  expect(screen.queryByRole('button', { name: /mail ?of nightly/ })).toBeNull()
  await userEvent.click(within(row).getByRole('button', { name: /Email ?of ana/ }))
  const field = await screen.findByLabelText('Email')
  expect(screen.getByText(/ends that link/)).toBeTruthy()
  await userEvent.clear(field)
  await userEvent.type(field, 'ana@new.example')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(sent).toEqual([{ email: 'ana@new.example' }]))
})
