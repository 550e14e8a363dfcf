// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { EmbeddingMap } from '../shared/api/types'
import { aDataset } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

test('a map that was begun where the address is an old name is there at once', async () => {
  const maps: EmbeddingMap[] = []
  const made: EmbeddingMap = {
    id: 1, dataset: 'pets', version: 2, model: null, features: { by: 'efficientnet_lite0', about: 'It sees things.' }, method: 'pca', seed: 0, count: null, points: null, facts: null, created: '2026-11-01T12:00:00Z',
    job: {
      id: 7, kind: 'map', title: 'Map pets v2', state: 'queued', progress: { done: 0, total: 2, rate: null, eta: null, unit: 'samples' }, error: null, result: null,
      created: '2026-11-01T12:00:00Z', started: null, finished: null, missing: null, waiting: null, failed_shards: 0, priority: 'normal', project: 'default', retriable: false, url: '/jobs/7', href: '/jobs/7',
    },
  }
  answer('get', '/datasets/animals', aDataset({ name: 'pets', head: 2 }))
  list('/datasets/pets/versions', [])
  answer('get', '/jobs/7', { ...made.job, shards: [] })
  receive('get', '/datasets/animals/maps', () => HttpResponse.json({ results: maps, next: null }))
  receive('get', '/datasets/animals/maps/7', () => HttpResponse.json(made))
  const sent = receive('post', '/datasets/pets/maps', () => {
    maps.push(made)
    return HttpResponse.json(made, { status: 201 })
  })
  openApp('/datasets/animals/map')
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'New map…' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create the map' }))
  expect((await screen.findByRole<HTMLInputElement>('combobox', { name: 'Map' })).value).toContain('v2 by efficientnet_lite0')
  expect(screen.getByTitle('It sees things.')).toBeTruthy()
  expect(sent).toEqual([{ version: 'head', model: null, features: 'backbone', method: 'umap-like', seed: 0 }])
})
