// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { choicesOf, choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const trial = (number: number, value: number, version: number | null) => ({
  number, params: { seed: number }, state: 'complete', value, curve: [[4, value]], reason: '', run: 10 + number,
  job_state: 'succeeded', model_version: version, created: '2026-11-01T12:00:00Z', finished: '2026-11-01T12:10:00Z',
})

const sweep = {
  id: 3, name: 'seeds', model: 'pets-cnn', dataset: 'pets', version: 1, architecture: 'small_cnn', config: {}, seed: 0, space: { seed: { choices: [1, 2, 3] } }, metric: 'accuracy', direction: 'maximize',
  trials: 3, parallel: 2, sampler: 'grid', pruner: 'none', startup: 5, warmup: 1, state: 'succeeded', error: '', counts: { running: 0, complete: 3, pruned: 0, failed: 0, cancelled: 0 },
  best: trial(2, 0.95, 1), archived: null, created: '2026-11-01T12:00:00Z', finished: '2026-11-01T12:30:00Z', importance: [],
}

const version = (number: number) => ({
  model: 'pets-cnn', version: number, architecture: 'small_cnn', dataset: 'pets', dataset_version: 1, aliases: [], metrics: {}, size: 1_000, tensorrt: 'not verified', created: '2026-11-01T12:00:00Z',
})

function openSweep() {
  receive('get', '/sweeps/seeds', () => HttpResponse.json(sweep))
  list('/sweeps/seeds/trials', [trial(3, 0.9, null), trial(2, 0.95, 1), trial(1, 0.92, 2)])
  list('/models', [aModel({ latest: 3 })])
  openApp('/sweeps/seeds')
}

test('versions of the best trials are asked for in one go, and a refusal stands at the field', async () => {
  openSweep()
  await userEvent.click(await screen.findByRole('button', { name: 'Make several versions…' }))
  const dialog = within(await screen.findByRole('dialog'))
  const field = dialog.getByLabelText('Best trials')
  const make = dialog.getByRole('button', { name: 'Make versions' })
  await userEvent.clear(field)
  await userEvent.type(field, 'two')
  await userEvent.click(make)
  expect(document.activeElement).toBe(field)
  await userEvent.clear(field)
  await userEvent.type(field, '4')
  const refused = receive('post', '/sweeps/3/register', () => refusal({ status: 400, detail: 'That cannot be.', errors: { best: ['must be at most 3, the trials that are complete'] } }))
  await userEvent.click(make)
  await dialog.findByText(/must be at most 3/)
  expect(refused).toEqual([{ best: 4 }])
  await userEvent.clear(field)
  await userEvent.type(field, '3')
  receive('post', '/sweeps/3/register', () => HttpResponse.json({ trials: [trial(2, 0.95, 1), trial(1, 0.92, 2), trial(3, 0.9, null)], started: [13] }, { status: 202 }))
  await userEvent.click(make)
  await screen.findByText('1 version will be made; 2 of the 3 best trials were asked for before')
})

test('versions that trials became are joined: the dialog has them ticked', async () => {
  openSweep()
  receive('get', '/models/pets-cnn', () => HttpResponse.json(aModel({ latest: 3 })))
  list('/models/pets-cnn/versions', [version(3), version(2), version(1)])
  list('/models/pets-cnn/promotions', [])
  list('/runs', [])
  list('/datasets', [aDataset()])
  await userEvent.click(await screen.findByRole('link', { name: 'Join 2 versions…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByLabelText<HTMLInputElement>(/^v3/).checked).toBe(false)
  expect(dialog.getByLabelText<HTMLInputElement>(/^v2/).checked).toBe(true)
  expect(dialog.getByLabelText<HTMLInputElement>(/^v1/).checked).toBe(true)
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(location.search).toBe(''))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a version that the list does not reach is named, and not left out without a word', async () => {
  receive('get', '/models/pets-cnn', () => HttpResponse.json(aModel({ latest: 3 })))
  list('/models/pets-cnn/versions', [version(3), version(2)])
  list('/models/pets-cnn/promotions', [])
  list('/runs', [])
  openApp('/models/pets-cnn?join=3,2,1')
  const dialog = within(await screen.findByRole('dialog'))
  expect((await dialog.findByRole('alert')).textContent).toContain('not ticked: v1.')
  expect(dialog.getByRole('button', { name: 'Join 2 versions' })).toBeTruthy()
})

test('a sweep offers no dataset of other classes than its model, and says why', async () => {
  list('/models', [aModel()])
  list('/datasets', [aDataset(), aDataset({ id: 2, name: 'birds', classes: ['owl'] })])
  list('/architectures', [])
  openApp('/sweeps/new')
  const dataset = await screen.findByLabelText('Dataset')
  expect(await choicesOf(dataset)).toEqual(['pets', 'birds'])
  await choose(screen.getByLabelText('Model'), 'pets-cnn')
  await waitFor(async () => expect(await choicesOf(dataset)).toEqual(['pets', '-birds (has other classes than the model)']))
})
