// @vitest-environment jsdom

import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import { Answers } from '../features/models/answers'
import { choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const task = 'multilabel'
const perClass = { support: 8, ap: 0.91, precision: 0.9, recall: 0.8, f1: 0.85, intervals: { ap: [0.7, 0.97] } }
const metrics = {
  samples: 24, map: 0.91, micro_f1: 0.9, macro_f1: 0.89, exact_match: 0.6, ece: 0.03, loss: 0.2, intervals: { map: [0.8, 0.95] },
  per_class: { cat: perClass, dog: perClass }, calibration: { temperature: 1.2, thresholds: { cat: 0.31, dog: 0.4 } }, worst: [],
}

function serveVersion(part: object = {}) {
  answer('get', '/models/pets-cnn', aModel({ task, ...part }))
  answer('get', '/models/pets-cnn/versions/1', {
    model: 'pets-cnn', version: 1, architecture: 'small_cnn', digest: 'ab'.repeat(32), dataset: null, dataset_version: null, run: null, aliases: [], metrics,
    size: 1_000, tensorrt: 'not verified', precisions: [], warnings: [], notes: '', created: '2026-11-01T12:00:00Z', slices: null, gates: [],
    lineage: { dataset: null, dataset_version: null, run: null, cloned_from: null, parent: null, made_from: [], children: [], hidden: 0 }, report: {}, lock: {}, artifacts: [], promotions: [],
  })
}

test('a version of several classes shows its figures with their intervals and thresholds, and no confusion', async () => {
  serveVersion()
  openApp('/models/pets-cnn/1')
  const figures = within(await screen.findByLabelText('Evaluation'))
  expect(figures.getByText('Mean average precision').closest('div')?.textContent).toContain('91.0 %80.0 % to 95.0 %')
  expect(figures.getByText('Exact match')).toBeTruthy()
  const cat = screen.getByRole('row', { name: /cat/ })
  expect(within(cat).getByText('31.0 %')).toBeTruthy()
  expect(screen.getByRole('columnheader', { name: /Average precision/ })).toBeTruthy()
  expect(screen.queryByText('Confusion')).toBeNull()
})

test('a model of a task that is not known here goes by the figure of its gate', async () => {
  serveVersion({ task: 'grading', gates: [{ check: 'parity' }, { metric: 'macro_f1', min_delta: -0.01 }] })
  openApp('/models/pets-cnn/1')
  const figures = within(await screen.findByLabelText('Evaluation'))
  expect(figures.getAllByRole('term')[0]?.textContent).toBe('Macro F1')
})

test('an image that is tried is told by the classes that are named', () => {
  const prediction = (name: string, probability: number) => ({ class: name, probability })
  const told = { name: 'a.png', answer: { classes: ['cat', 'dog'], probability: 0.45 }, predictions: [prediction('cat', 0.9), prediction('dog', 0.45)], error: null }
  render(<Answers answers={{ results: [told], temperature: null }} images={[{ url: '/a.png' }]} classes={['cat', 'dog']} />)
  expect(screen.getByText('cat, dog')).toBeTruthy()
  expect(screen.getByText('45.0 %')).toBeTruthy()
})

test('mining begins without a model, by a strategy that compares images alone', async () => {
  const strategy = (name: string, asksModel: boolean) => ({ name, summary: name, needs: [], asks_model: asksModel, tasks: ['classification'], params_schema: { properties: {} } })
  list('/strategies', [strategy('margin', true), strategy('auto', false), strategy('badge', true)])
  list('/datasets', [aDataset()])
  list('/datasets/pets/slices', [])
  const sent = receive('post', '/mining/jobs', () => refusal({ status: 400, detail: 'No.', errors: { count: ['too many'] } }))
  openApp('/mining/new')
  await choose(await screen.findByLabelText('Dataset'), 'pets')
  expect(await screen.findByText(/mine the first labels without one/)).toBeTruthy()
  await choose(screen.getByLabelText('Model'), 'none yet: ImageNet features')
  expect(screen.getByLabelText<HTMLSelectElement>('Strategy').value).toBe('auto')
  expect(screen.queryByRole('option', { name: 'badge' })).toBeNull()
  expect(screen.queryByLabelText('Version of the model')).toBeNull()
  expect(screen.queryByLabelText('Committee')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Start mining' }))
  expect(await screen.findByText(/too many/)).toBeTruthy()
  expect(sent).toMatchObject([{ dataset: 'pets', model: null, strategy: { name: 'auto', params: {} } }])
})

test('mining offers the strategies that can mine for the task, and how to bring scores by class into one', async () => {
  const reduce = { anyOf: [{ enum: ['max', 'mean', 'sum', 'top'], type: 'string' }, { type: 'null' }], default: null, title: 'Reduce' }
  const top = { type: 'integer', default: 3, title: 'Top' }
  const weights = { type: 'object', additionalProperties: { type: 'number' }, title: 'Weights' }
  const strategy = (name: string, tasks: string[]) => ({ name, summary: name, needs: [], tasks, params_schema: { properties: { reduce, top, weights } } })
  list('/strategies', [strategy('margin', ['classification', task]), strategy('badge', ['classification'])])
  list('/datasets', [aDataset(), aDataset({ id: 2, name: 'farm', task })])
  list('/datasets/pets/slices', [])
  list('/datasets/farm/slices', [])
  openApp('/mining/new')
  await choose(await screen.findByLabelText('Dataset'), 'pets')
  expect(await screen.findByRole('option', { name: 'badge' })).toBeTruthy()
  await userEvent.selectOptions(screen.getByLabelText('Strategy'), 'margin')
  for (const name of ['Score of an image', 'Scores for “top”', 'Weights of classes']) expect(screen.queryByLabelText(name)).toBeNull()
  await choose(screen.getByLabelText('Dataset'), 'farm')
  expect(await screen.findByLabelText('Score of an image')).toBeTruthy()
  fireEvent.change(screen.getByLabelText('Weights of classes'), { target: { value: '["cat"]' } })
  await userEvent.click(screen.getByRole('button', { name: 'Start mining' }))
  expect(await screen.findByText('must be names with numbers, such as rare=3, night=0.5')).toBeTruthy()
  expect(screen.getByLabelText('Scores for “top”').getAttribute('placeholder')).toBe('3')
  expect(screen.queryByRole('option', { name: 'badge' })).toBeNull()
})
