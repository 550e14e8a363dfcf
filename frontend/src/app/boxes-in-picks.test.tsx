// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import type { MiningJobDetail, PickOfJob } from '../shared/api/types'
import { aDataset } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const created = '2026-11-01T12:00:00Z'
const classes = ['stop', 'yield']

function aPick(part: Partial<PickOfJob>): PickOfJob {
  return {
    rank: 1, sample: { id: 1, key: 'a.png', thumb: '/thumbs/1', url: '/blobs/1', width: 400, height: 300 }, score: 0.7, terms: { margin: 0.7 }, reason: 'undecided: stop at 0.52',
    control: false, probability: 1, prediction: null, neighbours: [], explanation: { terms: [], product: 0.7, quota: null, displaced: null, neighbours: [] }, ...part,
  }
}

const found = aPick({ prediction: { boxes: [{ class: 'stop', box: [10, 20, 110, 220], score: 0.52 }, { class: 'yield', box: [200, 20, 240, 60], score: 0.61 }], model: 'signs@1' } })
const nothing = aPick({ rank: 2, sample: { ...found.sample, key: 'b.png' }, prediction: { boxes: [], model: 'signs@1' }, reason: 'nothing is found' })

function serveJob(state = 'succeeded', done = 1) {
  const job = {
    id: 1, dataset: 'roads', version: 1, model: 'signs@1', strategy: { name: 'margin', params: {} }, count: 2, control: 0, seed: 0, filter: null, compose: null, committee: { flips: true }, like: null,
    unlike: null, calibration: null, created, queue: null, stats: { picked: 2, evidence: { split: 'val', labelled: 40, images: 40, objects: 71, right: 35, classes_alone: ['stop'] }, objects: { images: 8, objects: 21, scored: 3, seconds: 0.4, unreadable: 0 } }, progress: { shards_done: 1, shards: 1, images_per_second: null, eta_seconds: null, quarantined: 0 },
    job: { id: 1, kind: 'mine', title: 'Mine', state, result: {}, error: null, created, started: created, finished: created, progress: { done, total: 1, rate: null, eta: null, unit: 'samples' }, failed_shards: 0, priority: 'normal', project: 'default', retriable: false, url: '/jobs/1', href: '/mining/1' },
  } as unknown as MiningJobDetail
  answer('get', '/mining/jobs/1', job as never)
  list('/mining/jobs/1/picks', [found, nothing] as never)
  list('/mining/jobs/1/quarantine', [])
  answer('get', '/mining/jobs/1/histogram', { edges: [0, 1], counts: [2], cut: 0.5, score: 'margin', picked: [0.7, 0.6], live: false } as never)
  answer('get', '/mining/jobs/1/picks/1', found as never)
  answer('get', '/jobs/1', { ...job.job, points: [], log: [], next: 0 } as never)
  list('/datasets', [aDataset({ name: 'roads', task: 'detection', classes })])
}

test('the settings say who votes and what the strategy was fitted on', async () => {
  serveJob()
  openApp('/mining/1')
  expect(await screen.findByText('40 of 40 labelled images of val: 35 of 71 objects are right; fitted alone: stop')).toBeTruthy()
  expect(screen.getByText('21 objects of 8 images, those of 3 shown to the model for this job')).toBeTruthy()
  expect(screen.getByText('the image and its mirror image')).toBeTruthy()
})

test('before a sample is scored nobody asks how the scores spread', async () => {
  serveJob('running', 0)
  const asked = receive('get', '/mining/jobs/1/histogram', () => refusal({ status: 409, code: 'histogram_missing', detail: 'No sample is scored yet.' }))
  openApp('/mining/1')
  await screen.findByText('No sample is scored yet.')
  expect(asked).toHaveLength(0)
})

test('each pick has the boxes of the model over its thumbnail', async () => {
  serveJob()
  openApp('/mining/1')
  const first = await screen.findByRole('button', { name: /^Pick ?1/ })
  expect(first.querySelector('svg')?.getAttribute('viewBox')).toBe('0 0 400 300')
  const places = [...first.querySelectorAll('rect.line')].map((rect) => ['x', 'y', 'width', 'height'].map((name) => Number(rect.getAttribute(name))))
  expect(places).toEqual([[10, 20, 100, 200], [200, 20, 40, 40]])
  const second = screen.getByRole('button', { name: /^Pick ?2/ })
  expect(second.querySelector('svg rect')).toBeNull()
  expect(second.textContent).toContain('nothing is found')
})

test('a pick that is opened lists its boxes, the surest first', async () => {
  serveJob()
  openApp('/mining/1')
  await userEvent.click(await screen.findByRole('button', { name: /^Pick ?1/ }))
  const boxes = within(await screen.findByLabelText('Boxes of the model')).getAllByRole('listitem')
  expect(boxes.map((box) => box.textContent)).toEqual(['yield0.61', 'stop0.52'])
})
