// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const pages = [
  ['/pipelines/77', '/pipelines'], ['/pipelines/77/edit', '/pipelines'], ['/pipelines/new?like=77', '/pipelines'], ['/mining/77', '/mining'], ['/backtests/77', '/backtests'], ['/sweeps/77', '/sweeps'],
  ['/datasets/77', '/datasets'], ['/datasets/77/versions', '/datasets'], ['/label/77', '/label'], ['/review/77', '/review'], ['/models/77', '/models'], ['/models/77/1', '/models'],
  ['/models/77/1/outcomes', '/models'], ['/models/77/compare?a=1&b=2', '/models/77'], ['/models/77/compare', '/models'], ['/runs/77', '/runs'], ['/jobs/77', '/jobs'], ['/settings/projects/77', '/settings/projects'],
] as const

test.each(pages)('%s of a thing that is not there says so and leads to %s', async (address, way) => {
  const gone = () => refusal({ status: 404, detail: 'There is no such thing.' })
  for (const path of ['/pipelines/77', '/mining/jobs/77', '/backtests/77', '/sweeps/77', '/sweeps/77/trials', '/datasets/77', '/labeling/queues/77', '/labeling/reviews'] as const) receive('get', path, gone)
  for (const path of ['/models/77', '/models/77/versions', '/models/77/versions/1', '/models/77/compare', '/runs/77', '/jobs/77', '/projects/77'] as const) receive('get', path, gone)
  for (const path of ['/pipelines', '/models'] as const) list(path, [])
  openApp(address)
  expect(await screen.findByText('There is no such thing.')).toBeTruthy()
  const links = screen.getAllByRole<HTMLAnchorElement>('link', { name: /^To the/ })
  expect(links.map((link) => link.getAttribute('href'))).toEqual([`/app${way}`])
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  expect(document.body.textContent).not.toContain('without this page')
})

test('a version that a dataset never had is named, with its newest', async () => {
  answer('get', '/datasets/1', aDataset({ name: 'pets', head: 1 }))
  list('/datasets/1/versions', [
    {
      version: 1, message: 'first', author: 'owner', created: '2026-11-01T12:00:00Z', schema_version: 1, added: 4, updated: 0, removed: 0, labelled: 4, erased: 0,
      counts: { samples: 4, labelled: 4, by_split: {}, by_class: {} }, labelling: null, parent: null, names: [], merged: null,
    },
  ])
  for (const path of ['/datasets/1/tags', '/datasets/1/aliases'] as const) list(path, [])
  openApp('/datasets/1/versions?v=99')
  expect(await screen.findByText('pets has no version 99; its newest is v1.')).toBeTruthy()
})

test('a map that is not there is named', async () => {
  answer('get', '/datasets/1', aDataset({ name: 'pets', head: 1 }))
  openApp('/datasets/1/map?m=99')
  expect(await screen.findByText('Map 99 is not among the maps of pets.')).toBeTruthy()
})

test('mining is not begun with a dataset, a slice, a model or a version of it that is not there', async () => {
  const dataset = aDataset({ name: 'pets', head: 1 })
  list('/datasets', [dataset])
  list('/datasets/pets/slices', [])
  list('/models', [aModel({ name: 'cnn', latest: 2, classes: [...dataset.classes], task: dataset.task })])
  openApp('/mining/new?dataset=dogs&model=nope')
  expect(await screen.findByText('“dogs” is not among the datasets: choose another.')).toBeTruthy()
  expect(await screen.findByText('“nope” is not among the trained models: choose another.')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('Dataset').value).toBe('dogs')
  openApp('/mining/new?dataset=pets&slice=night&model=cnn&modelVersion=44')
  expect(await screen.findByText('“night” is not among the slices of pets: choose another part.')).toBeTruthy()
  expect(await screen.findByText('cnn has no version “44”: choose another.')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('Part of the pool').value).toBe('slice night')
})
