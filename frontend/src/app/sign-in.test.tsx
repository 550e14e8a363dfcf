// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { answer, receive, refusal, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

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
