// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

test('the company’s provider is offered where there is one, and its refusal comes back in words', async () => {
  receive('get', '/session', () => refusal({ status: 401, detail: 'Sign in.' }))
  answer('get', '/session/options', { provider: { name: 'Example', address: '/session/oidc' } })
  openApp('/login?refused=unknown_person&next=%2Fdatasets%3Fq%3Da')
  const way = await screen.findByRole('link', { name: 'Sign in with Example' })
  expect(way.getAttribute('href')).toBe('/session/oidc?next=%2Fdatasets%3Fq%3Da')
  expect(screen.getByRole('alert').textContent).toContain('You have no account here yet')
  expect(screen.getByLabelText('Token')).toBeTruthy()
})

test('who signs out is told that the provider still knows this browser, and how to end that', async () => {
  const address = 'https://id.example.org/end?id_token_hint=e30'
  answer('get', '/session', sessionOf('owner'))
  receive('delete', '/session', () => HttpResponse.json({ provider: { name: 'Example', address } }))
  openApp('/datasets')
  await userEvent.click(await screen.findByRole('button', { name: /sign out/ }))
  // The page is left for the sign-in page here, which jsdom does not do.
  await waitFor(() => expect(sessionStorage).toHaveLength(1))
  cleanup()
  receive('get', '/session', () => refusal({ status: 401, detail: 'Sign in.' }))
  openApp('/login')
  const there = await screen.findByRole('link', { name: 'sign out there too' })
  expect(there.getAttribute('href')).toBe(address)
  expect(screen.getByRole('status').textContent).toContain('With Example you are still signed in')
  there.addEventListener('click', (event) => event.preventDefault())
  await userEvent.click(there)
  expect(sessionStorage).toHaveLength(0)
})

test('a page elsewhere is none to come back to', async () => {
  receive('get', '/session', () => refusal({ status: 401, detail: 'Sign in.' }))
  answer('get', '/session/options', { provider: { name: 'Example', address: '/session/oidc' } })
  openApp('/login?next=%2F%2Fevil.example')
  expect((await screen.findByRole('link', { name: 'Sign in with Example' })).getAttribute('href')).toBe('/session/oidc?next=%2F')
})

test('after too many wrong tokens the page says how long to wait, and lets one try again then', async () => {
  const detail = 'Too many wrong tokens or secrets came from your address: try again in 2 seconds.'
  receive('get', '/session', () => refusal({ status: 401, detail: 'Sign in.' }))
  receive('post', '/session', () => refusal({ status: 429, code: 'too_many_attempts', detail, wait: 2 }))
  openApp('/login')
  await userEvent.type(await screen.findByLabelText('Token'), 'ml_guess{Enter}')
  expect((await screen.findByRole('alert')).textContent).toContain('try again in 2 seconds')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /Try again in 0:0[12]/ }).disabled).toBe(true)
  expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'Sign in' }, { timeout: 4000 })).disabled).toBe(false)
})

test('a wrong token is refused in words and the right one leads where one wanted to go', async () => {
  const unknown = () => refusal({ status: 401, detail: 'The server does not know this token: copy all of it.' })
  receive('get', '/session', unknown)
  const tokens = receive('post', '/session', ({ body }) => {
    if (JSON.stringify(body) !== '{"token":"ml_right"}') return unknown()
    answer('get', '/session', sessionOf('owner'))
    return HttpResponse.json(sessionOf('owner'))
  })
  openApp('/datasets')
  await userEvent.type(await screen.findByLabelText('Token'), 'ml_wrong{Enter}')
  expect((await screen.findByRole('alert')).textContent).toContain('does not know this token')
  await userEvent.clear(screen.getByLabelText('Token'))
  await userEvent.type(screen.getByLabelText('Token'), 'ml_right{Enter}')
  await screen.findByRole('heading', { name: 'Datasets' })
  expect(location.pathname).toBe('/app/datasets')
  expect(tokens).toEqual([{ token: 'ml_wrong' }, { token: 'ml_right' }])
})

test('after a session ended, signing in reads again what was refused, and meanwhile nothing is said to be empty', async () => {
  answer('get', '/session', sessionOf('annotator'))
  answer('get', '/session/options', { provider: null })
  list('/labeling/queues', [])
  for (const path of ['/labeling/comments', '/projects'] as const) list(path, [])
  openApp('/label')
  await screen.findByText('No samples are waiting for labels.')
  receive('get', '/labeling/queues', () => refusal({ status: 401, detail: 'Sign in.' }))
  await userEvent.click(screen.getByRole('link', { name: 'My work' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Sign in again' }, { timeout: 10_000 }))
  expect(screen.queryByText('No samples are waiting for labels.')).toBeNull()
  expect(screen.getByText('The queues could not be loaded')).toBeTruthy()
  expect(screen.getByText('Your session has ended: sign in, then try again.')).toBeTruthy()
  list('/labeling/queues', [])
  answer('post', '/session', sessionOf('annotator'))
  await userEvent.type(dialog.getByLabelText('Token'), 'ml_right{Enter}')
  await screen.findByText('No samples are waiting for labels.')
  expect(screen.queryByText('The queues could not be loaded')).toBeNull()
}, 20_000)
