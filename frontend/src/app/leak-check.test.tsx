// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

test('a leak check is started, followed after a reload, and leads to the pairs that it found', async () => {
  const nothing = { results: [], next: null, counts: { kept_out: 0, kept_out_labelled: 0, in_train: 0, allowed: 0, unchecked: 0 } }
  const pair = { key: 'a.png', thumb: '/thumbs/1', of: 'b.png', of_thumb: '/thumbs/2', split: 'train', allowed: false, found_by: 'pets-cnn@2', distance: 0.01 }
  const job = { id: 7, kind: 'leak_check', title: 'Look for leaks', state: 'running', result: {}, error: null, progress: { done: 1, total: 4, rate: null, eta: null, unit: 'samples' }, points: [], log: [], next: 0, waiting: null }
  answer('get', '/datasets/pets', aDataset())
  list('/models', [aModel({ latest: 2, aliases: [{ name: 'production', version: 2 }] as never })])
  answer('get', '/datasets/pets/near-duplicates', nothing as never)
  answer('get', '/jobs/7', job as never)
  openApp('/datasets/pets/near-duplicates')
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Look for leaks with a model…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Look for leaks' }))
  await choose(await dialog.findByLabelText('Model'), 'pets-cnn, production (v2)')
  const refused = receive('post', '/datasets/pets/leak-checks', () => refusal({ status: 400, detail: 'That cannot be.', errors: { threshold: ['must be at least 0.5'] } }))
  await user.clear(dialog.getByLabelText('Least likeness'))
  await user.type(dialog.getByLabelText('Least likeness'), '0.4')
  await user.click(dialog.getByRole('button', { name: 'Look for leaks' }))
  await dialog.findByText('must be at least 0.5.')
  expect(refused).toEqual([{ model: 'pets-cnn@production', threshold: 0.4, version: 'head' }])
  receive('post', '/datasets/pets/leak-checks', () => HttpResponse.json({ job }, { status: 202 }))
  await user.click(dialog.getByRole('button', { name: 'Look for leaks' }))
  const panel = within(await screen.findByRole('region', { name: 'Leak check' }))
  await panel.findByRole('button', { name: 'Cancel' })
  expect(location.search).toBe('?check=7')
  answer('get', '/datasets/pets/near-duplicates', { ...nothing, results: [pair], counts: { ...nothing.counts, in_train: 1 } } as never)
  answer('get', '/jobs/7', { ...job, state: 'succeeded', result: { model: 'pets-cnn@2', version: 1, threshold: 0.5, tests: 10, others: 30, unscored: 1, found: 1 } } as never)
  await screen.findByText(/pets-cnn@2 compared 30 samples of v1 with 10 test samples: 1 is as alike as 0.5 or more; it is among those below, as found by pets-cnn@2. 1 sample could not be scored./, {}, { timeout: 5000 })
  const pairs = within(await screen.findByRole('list', { name: 'Near-duplicates' }))
  expect(pairs.getByText('pets-cnn@2')).toBeTruthy()
  expect(pairs.getByText('In train: not decided')).toBeTruthy()
  expect(screen.getByText(/^1 image is in train though/)).toBeTruthy()
})
