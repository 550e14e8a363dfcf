// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { choicesOf, choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

test('a pipeline is scheduled and given a budget, and what the server refuses stands where it was typed', async () => {
  list('/datasets', [aDataset()])
  list('/models', [aModel()])
  answer('get', '/datasets/pets/filters', { fields: [] })
  list('/datasets/pets/slices', [])
  openApp('/pipelines/new')
  await userEvent.type(await screen.findByLabelText('Name'), 'weekly')
  await choose(screen.getByLabelText('Dataset'), 'pets')
  await choose(screen.getByLabelText('Model'), 'pets-cnn')
  await userEvent.click(screen.getByText(/^Advanced/))
  await userEvent.type(screen.getByLabelText('Schedule'), '0 6 * * 1')
  await userEvent.click(screen.getByLabelText('Start a round by webhook'))
  const budget = within(screen.getByRole('group', { name: 'Budget' }))
  await userEvent.type(budget.getByLabelText('Labels'), '-5')
  const sent = receive('post', '/pipelines', ({ body }) =>
    JSON.stringify(body).includes('-5') ? refusal({ status: 400, detail: 'That cannot be.', errors: { 'budget.labels': ['must be 0 or more'] } }) : HttpResponse.json({ id: 7 }),
  )
  await userEvent.click(screen.getByRole('button', { name: 'Create the pipeline' }))
  await budget.findByText(/must be 0 or more/)
  await userEvent.clear(budget.getByLabelText('Labels'))
  await userEvent.type(budget.getByLabelText('Labels'), '500')
  receive('get', '/pipelines/7', () => refusal({ status: 404, detail: 'what it shows then is another test' }))
  await userEvent.click(screen.getByRole('button', { name: 'Create the pipeline' }))
  await screen.findByText(/what it shows then/)
  expect(location.pathname).toBe('/app/pipelines/7')
  expect(sent.at(-1)).toMatchObject({ name: 'weekly', dataset: 'pets', model: 'pets-cnn', schedule: '0 6 * * 1', trigger: { webhook: true }, budget: { labels: 500 } })
})

test('a pipeline over boxes is offered the architectures and models that know boxes', async () => {
  const architecture = (name: string, task: string) => ({ name, tasks: [task], summary: name, frozen: false, params_schema: {}, recipe_schema: {} })
  list('/architectures', [architecture('centre_lite0', 'detection'), architecture('small_cnn', 'classification')])
  list('/datasets', [aDataset(), aDataset({ id: 2, name: 'roads', task: 'detection' })])
  receive('get', '/models', ({ url }) => HttpResponse.json({ results: url.searchParams.get('dataset') === 'roads' ? [aModel({ id: 2, name: 'signs', task: 'detection' })] : [aModel()], next: null }))
  list('/datasets/roads/slices', [])
  answer('get', '/datasets/roads/filters', { fields: [] })
  answer('get', '/datasets/roads/recommended-architecture', {
    learner: { architecture: 'centre_lite0', reason: 'Boxes are asked for.', config: {} },
    labels_per_round: { count: 40, reason: '4 labels for each of 10 classes.' },
  })
  openApp('/pipelines/new')
  await choose(await screen.findByLabelText('Dataset'), 'roads')
  expect(await screen.findByRole('option', { name: 'centre_lite0' })).toBeTruthy()
  expect(screen.queryByRole('option', { name: 'small_cnn' })).toBeNull()
  expect(await choicesOf(screen.getByLabelText('Model'))).toEqual(['a new one', 'signs'])
  expect(screen.getByLabelText('Labels in a round')).toHaveProperty('placeholder', '40')
  expect(screen.getByText('Leave empty for 40: 4 labels for each of 10 classes.')).toBeTruthy()
})
