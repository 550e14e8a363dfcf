// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { Model, Promotion } from '../shared/api/types'
import { aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

function aMove(version: number, previous: number | null, hour: number): Promotion {
  return { alias: 'production', version, previous, reason: 'why not', gates: [], overridden: false, by: 'mia', created: `2026-11-01T0${hour}:00:00Z` }
}

const alias = (version: number): Model['aliases'] => [{ name: 'production', version }]

test('a roll back names the version it leads to, and a refusal shows where the alias is now', async () => {
  let moves = [aMove(3, 2, 2), aMove(2, null, 1)]
  receive('get', '/models/pets-cnn', () => HttpResponse.json(aModel({ latest: 3, aliases: alias(moves[0]?.version ?? 0) })))
  receive('get', '/models/pets-cnn/promotions', () => HttpResponse.json({ results: moves, next: null, previous: null }))
  list('/models/pets-cnn/versions', [])
  list('/runs', [])
  const sent = receive('post', '/models/pets-cnn/rollback', () => {
    // Somebody else has rolled it back already: to roll back once more would lead to v3 again.
    moves = [aMove(2, 3, 3), ...moves]
    return refusal({ status: 409, code: 'alias_moved', detail: 'eng moved production to v2 meanwhile.' })
  })
  openApp('/models/pets-cnn')
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Roll back…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByText('From v3 back to v2.')
  await user.type(dialog.getByRole('textbox', { name: 'Reason' }), 'it flickers')
  await user.click(dialog.getByRole('button', { name: 'Roll back to v2' }))
  expect(sent).toEqual([{ alias: 'production', reason: 'it flickers', version: 2 }])
  await dialog.findByText('eng moved production to v2 meanwhile.')
  await dialog.findByText('From v2 back to v3.')
  expect(dialog.getByRole('button', { name: 'Roll back to v3' })).toBeDefined()
})
