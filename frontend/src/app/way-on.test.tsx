// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)
afterEach(() => localStorage.clear())

const counts = { samples: 20, labelled: 5 }
const roads = aDataset({ name: 'roads', trainable: true, counts: { ...aDataset().counts, ...counts } })

test('the way from a dataset to a queue chooses the dataset and its unlabelled images, and names the queue', async () => {
  list('/datasets', [roads])
  const sent = receive('post', '/labeling/queues', () => refusal({ status: 400, detail: 'no' }))
  openApp('/label?dataset=roads')
  const dialog = within(await screen.findByRole('dialog', { name: 'New queue' }))
  await waitFor(() => expect(dialog.getByLabelText<HTMLInputElement>('Name').value).toBe('roads'))
  expect(dialog.getByText(/all splits, 1 answer per image, one image at a time, normal priority/)).toBeTruthy()
  expect(dialog.queryByLabelText('Priority')?.closest('details')?.open).toBe(false)
  await userEvent.click(dialog.getByRole('button', { name: 'Create the queue' }))
  await waitFor(() => expect(sent.at(-1)).toMatchObject({ name: 'roads', dataset: 'roads', filter: { labelled: false }, answers_per_task: 1 }))
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(location.search).toBe(''))
})

async function openTraining() {
  openApp('/datasets/roads/classes')
  await userEvent.click(await screen.findByRole('button', { name: 'Train…' }))
  return within(await screen.findByRole('dialog', { name: 'Train a model on roads' }))
}

test('without a model that fits, one is created with the training; where the training is refused, no second one is', async () => {
  list('/datasets', [roads])
  answer('get', '/datasets/:reference/recommended-architecture', { learner: { architecture: 'small_cnn', reason: 'small images' } })
  const models = receive('post', '/models', ({ body }) => HttpResponse.json({ ...aModel(), ...(body as object) }))
  let tries = 0
  const runs = receive('post', '/runs', () => ((tries += 1) === 1 ? refusal({ status: 400, detail: 'seed must be a number' }) : HttpResponse.json({ id: 7 })))
  const dialog = await openTraining()
  expect(dialog.getByLabelText<HTMLInputElement>('Name of the new model').value).toBe('roads')
  await userEvent.click(dialog.getByRole('button', { name: 'Train' }))
  await waitFor(() => expect(runs).toHaveLength(1))
  expect(models).toEqual([expect.objectContaining({ name: 'roads', task: roads.task, classes: roads.classes })])
  await waitFor(() => expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Train' }).disabled).toBe(false))
  await userEvent.click(dialog.getByRole('button', { name: 'Train' }))
  await waitFor(() => expect(runs).toHaveLength(2))
  expect(models).toHaveLength(1)
  expect(runs.at(-1)).toMatchObject({ model: 'roads', dataset: 'roads', version: 'head' })
})

test('a model that learns the classes is proposed', async () => {
  list('/datasets', [roads])
  list('/models', [aModel({ name: 'seen' })])
  const runs = receive('post', '/runs', () => HttpResponse.json({ id: 7 }))
  answer('get', '/datasets/:reference/recommended-architecture', { learner: { architecture: 'small_cnn', reason: 'small images' } })
  const dialog = await openTraining()
  expect(dialog.queryByLabelText('Name of the new model')).toBeNull()
  await userEvent.click(dialog.getByRole('button', { name: 'Train' }))
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ model: 'seen', dataset: 'roads' }))
})

test('the first steps are ticked from what is there, can be hidden and come back', async () => {
  list('/datasets', [roads])
  answer('get', '/forecast', {})
  openApp('/')
  const steps = within(await screen.findByRole('region', { name: 'First steps' }))
  expect(steps.getAllByRole('listitem').map((item) => / done/.exec(item.textContent)?.[0] !== undefined && !item.textContent.includes('not done'))).toEqual([true, true, false, false, false])
  expect(steps.getByRole('button', { name: 'Train a model' })).toBeTruthy()
  await userEvent.click(steps.getByRole('button', { name: 'Hide this' }))
  await userEvent.click(await screen.findByRole('button', { name: 'First steps' }))
  expect(await screen.findByRole('region', { name: 'First steps' })).toBeTruthy()
})

test('a filter that is refused shows no sample, and takes none', async () => {
  list('/datasets', [roads])
  answer('get', '/datasets/:reference/versions/:number/facets', { total: 20, split: {}, label: {}, labelled: {} })
  answer('get', '/datasets/:reference/versions/:number/samples', { results: [], next: null, total: 20 })
  answer('get', '/datasets/:reference/filters', { fields: [], objects: [], object_fields: [] })
  receive('post', '/datasets/:reference/filters', () => refusal({ status: 400, detail: 'no field spilt', errors: {} }))
  openApp('/datasets/roads')
  expect(await screen.findByRole('button', { name: 'Select all' })).toBeTruthy()
  await userEvent.type(screen.getByRole('combobox', { name: 'Filter' }), 'spilt = train{Enter}')
  await userEvent.click(screen.getByRole('button', { name: 'Apply' }))
  expect(await screen.findByText(/The filter above has a fault/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Select all' })).toBeNull()
})
