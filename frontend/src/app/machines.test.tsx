// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { choicesOf, choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const version = (number: number) => ({
  model: 'pets-cnn', version: number, architecture: 'small_cnn', dataset: 'pets', dataset_version: 1, aliases: number === 1 ? ['production'] : [], metrics: {}, size: 1_000, tensorrt: 'not verified',
  created: '2026-11-01T12:00:00Z',
})

function openModel() {
  receive('get', '/models/pets-cnn', () => HttpResponse.json(aModel({ latest: 3 })))
  list('/models/pets-cnn/versions', [version(3), version(2), version(1)])
  list('/models/pets-cnn/promotions', [])
  list('/models/pets-cnn/runs', [])
  list('/datasets', [aDataset(), aDataset({ id: 2, name: 'birds', classes: ['owl'] })])
  list('/architectures', [{ name: 'small_cnn', tasks: ['classification'], summary: 'small', frozen: false, params_schema: {}, recipe_schema: {} }])
  openApp('/models/pets-cnn')
}

test('a training says what machine it needs, and a refusal stands at the field and opens its fold', async () => {
  openModel()
  await userEvent.click(await screen.findByRole('button', { name: 'Train…' }))
  const dialog = within(await screen.findByRole('dialog'))
  const fold = dialog.getByText('Machine').closest('details')
  await userEvent.click(dialog.getByText('Machine'))
  await userEvent.type(dialog.getByLabelText('GPUs'), '2')
  await userEvent.type(dialog.getByLabelText('Memory of each GPU, GB'), '16.5')
  await userEvent.click(dialog.getByText('Machine'))
  expect(fold?.open).toBe(false)
  const sent = receive('post', '/runs', () => refusal({ status: 400, detail: 'That cannot be.', errors: { 'needs.gpus': ['2 GPUs for 1 process'] } }))
  await userEvent.click(dialog.getByRole('button', { name: 'Train' }))
  await dialog.findByText(/2 GPUs for 1 process/)
  expect(fold?.open).toBe(true)
  expect(sent.at(-1)).toMatchObject({ model: 'pets-cnn', dataset: 'pets', needs: { gpus: 2, gpu_memory_bytes: 16.5e9 } })
})

test('a dataset that the model can not learn from says why, and is not to be chosen', async () => {
  openModel()
  list('/datasets', [
    aDataset(),
    aDataset({ id: 2, name: 'birds', classes: ['owl'] }),
    aDataset({ id: 3, name: 'empty', head: null }),
    aDataset({ id: 4, name: 'theirs', project: 'other' }),
  ])
  await userEvent.click(await screen.findByRole('button', { name: 'Train…' }))
  const field = within(await screen.findByRole('dialog')).getByLabelText<HTMLInputElement>('Dataset')
  expect(field.value).toBe('pets')
  expect(await choicesOf(field)).toEqual([
    'pets', '-birds (has other classes than the model)', '-empty (has no samples yet)', '-theirs (is in the project other, the model in default)',
  ])
})

test('a double click begins one training', async () => {
  openModel()
  await userEvent.click(await screen.findByRole('button', { name: 'Train…' }))
  const dialog = within(await screen.findByRole('dialog'))
  const sent = receive('post', '/runs', () => refusal({ status: 400, detail: 'That cannot be.' }))
  // The clicks follow one another as fast as the browser can tell them apart.
  await userEvent.setup({ delay: null }).dblClick(dialog.getByRole('button', { name: 'Train' }))
  await dialog.findByText('That cannot be.')
  expect(sent).toHaveLength(1)
})

test('versions are joined to an ensemble, at least two of them, proved on a dataset of choice', async () => {
  openModel()
  await userEvent.click(await screen.findByRole('button', { name: 'Join versions…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.click(dialog.getByLabelText(/^v3/))
  await userEvent.click(dialog.getByRole('button', { name: 'Join' }))
  expect(dialog.getByRole('alert').textContent).toBe('Tick 2 to 16 versions.')
  await userEvent.click(dialog.getByLabelText(/^v1/))
  expect(await choicesOf(dialog.getByLabelText('Prove and evaluate on'))).toEqual(['what the newest member was evaluated on', 'pets', '-birds (has other classes than the model)'])
  await choose(dialog.getByLabelText('Prove and evaluate on'), 'pets')
  const sent = receive('post', '/models/pets-cnn/ensembles', () => HttpResponse.json({ job: { id: 9 } }, { status: 202 }))
  receive('get', '/jobs/9', () => refusal({ status: 404, detail: 'what it shows then is another test' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Join 2 versions' }))
  await screen.findByText(/what it shows then/)
  expect(location.pathname).toBe('/app/jobs/9')
  expect(sent.at(-1)).toEqual({ versions: [3, 1], version: 'head', notes: '', dataset: 'pets' })
})
