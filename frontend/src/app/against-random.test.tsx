// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import type { Pipeline, Round } from '../shared/api/types'
import { openApp } from './testing/open-app'
import { answer, list, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const at = '2026-11-01T12:00:00Z'
const pipeline: Pipeline = {
  id: 7, name: 'loop', dataset: 'digits', task: 'classification', model: 'digits-cnn', architecture: 'auto', config: {},
  strategy: { name: 'margin', params: {} }, count: 40, control: 0.1, seed: 0, filter: null, filter_text: null, compose: null, committee: null,
  answers_per_task: 1, commit_grace: 30, gates: [], warm_start: false, needs: {}, schedule: null, schedule_words: null, next_run: null,
  trigger: {}, last_trigger: null, webhook_url: null, budget: {}, spent: { labels: 40, labels_today: 0, money: 0, compute_hours: 0 }, stop: {},
  stopped: null, paused: false, state: 'idle', current_round: 1, archived: null, created: at,
}
const round: Round = {
  number: 1, state: 'done', failed_in: null, trigger: { what: 'hand', detail: 'started by hand', at }, choice: null, waiting: null, stopped: null,
  step_started: at, labels: 80, dataset_version: 2, model_version: 1, run: 1, mining_job: 1, queue: 'loop-1', queue_id: 1, queue_counts: null,
  auto_commit: null, job: null, metric: 'accuracy', value: 0.5, accuracy: 0.5, promoted: true, promotion: null, lift: null, control: null,
  error: '', timings: {}, images_per_second: {}, created: at, finished: at,
}

function serve(loses: boolean): void {
  const sentence = loses ? 'Mined against random, 3 rounds: mining finds fewer mistakes than chance.' : 'Mined against random, 3 rounds: nothing shows it.'
  answer('get', '/pipelines/7', pipeline)
  answer('get', '/pipelines/7/curve', { pipeline: 'loop', strategy: 'margin', points: [] })
  list('/pipelines/7/rounds', [round])
  answer('get', '/pipelines/7/against-random', {
    pipeline: 'loop', strategy: 'margin', params: {}, rounds: 3, mined: { n: 108, wrong: 1 }, control: { n: 12, wrong: 7 }, evidence: loses ? 900 : 1,
    bound: 20, loses, sentence,
  })
}

test('the page of a pipeline says how mining does against random', async () => {
  serve(false)
  openApp('/pipelines/7')
  expect(await screen.findByText('Mined against random, 3 rounds: nothing shows it.')).toBeTruthy()
  expect(screen.queryByText('picks at random')).toBeNull()
})

test('mining that loses is an alert, with what is done about it', async () => {
  serve(true)
  openApp('/pipelines/7')
  const alert = await screen.findByText('Mined against random, 3 rounds: mining finds fewer mistakes than chance.')
  expect(alert.closest('[role=alert]')?.textContent).toContain('picks at random')
})
