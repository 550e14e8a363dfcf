// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, expect, test } from 'vitest'

import type { LabelTask, Queue, ShapesValue, Verification } from '../shared/api/types'
import { aSchema } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing } from './testing/server'

serveNothing()
beforeEach(() => localStorage.clear())
afterEach(cleanup)

interface Said {
  value: ShapesValue
  verification?: Verification
}

const suggestion = {
  model: 'roads@1',
  boxes: [
    { class: 'car', box: [1, 1, 20, 20], score: 0.9 },
    { class: 'bus', box: [30, 30, 60, 60], score: 0.4 },
  ],
}

/** A queue of two images, under whatever name it is asked for; answers by task. */
function serveQueue(more: Partial<Queue> = {}): Map<number, Said> {
  const said = new Map<number, Said>()
  const classes = ['car', 'bus']
  const counts = () => ({ total: 2, todo: 2 - said.size, leased: 0, done: said.size, skipped: 0 })
  const tasks = [1, 2].map((id) => ({
    id, lease_until: new Date(Date.now() + 600_000).toISOString(), lease_token: 1, url: `/blobs/${id}`, suggestion, why: null, cluster: null, position: id,
    flag: null, answered: null, sample: { id, key: `${id}.png`, width: 100, height: 100, thumb: `/thumbs/${id}` },
  })) as unknown as LabelTask[]
  receive('get', '/labeling/queues/:queue', () => HttpResponse.json({
    id: 1, name: 'checks', dataset: 'roads', dataset_id: 1, task: 'detection', classes, state: 'open', counts: counts(), rate_per_hour: 0, answers_per_task: 1, kind: 'boxes',
    mode: 'verify', blind_share: 0, gold_share: 0, review_share: 0, accept_threshold: null, skip_reasons: [], flagged: 0, reviews_open: 0, labels: 0, auto_commit: null,
    mine: { today: 0, total: 0, rate_per_hour: 0, waiting: 0, held: 0, reviews: 0 }, schema: aSchema(classes), archived: null, created: '2026-11-01T12:00:00Z',
    committed_version: null, ...more,
  } satisfies Queue))
  list('/labeling/queues/:queue/tasks', [])
  receive('post', '/labeling/queues/:queue/next', () => HttpResponse.json({ tasks: tasks.filter(({ id }) => !said.has(id)) }))
  receive('post', '/labeling/tasks/:task/answer', ({ params, body }) => {
    said.set(Number(params['task']), body as Said)
    return HttpResponse.json({ task: Number(params['task']), state: 'done', answer: {}, queue: { counts: counts(), state: 'open' } })
  })
  receive('post', '/labeling/tasks/:task/undo', ({ params }) => {
    said.delete(Number(params['task']))
    return HttpResponse.json({ ...tasks.find(({ id }) => id === Number(params['task'])), lease_token: 2, counts: counts() })
  })
  answer('put', '/session/preferences', {})
  return said
}

const asks = (words: string) => screen.findByRole('heading', { name: words })

test('an image is verified by keys alone, and its answer comes back at the last question', async () => {
  const said = serveQueue()
  openApp('/label/by-key')
  await asks('Is this bus box right?')
  await userEvent.keyboard('1')
  await asks('Is this car box right?')
  await userEvent.keyboard('m{ArrowRight}{Enter}')
  await asks('Is one missing?')
  await userEvent.keyboard('n')
  await waitFor(() => expect(said.get(1)?.value.boxes).toEqual([
    { class: 'car', box: [2, 1, 21, 20] },
    { class: 'car', box: [30, 30, 60, 60] },
  ]))
  expect(said.get(1)?.verification).toMatchObject({ objects: [{ at: 0 }, { at: 1 }], missing: { found: false } })
  await asks('Is this bus box right?')
  await userEvent.keyboard('{Backspace}')
  await asks('Is one missing?')
  expect(screen.getByRole('img', { name: 'Sample 1.png' })).toBeTruthy()
  await userEvent.keyboard('{Backspace}')
  await asks('Is this car box right?')
  await userEvent.keyboard('xn')
  await waitFor(() => expect(said.get(1)?.verification?.objects.map(({ at }) => at)).toEqual([null, 0]))
})

test('buttons do what keys do, and what is missing is drawn in the same image', async () => {
  const said = serveQueue()
  openApp('/label/by-button')
  await asks('Is this bus box right?')
  await userEvent.click(screen.getByRole('button', { name: /^No, nothing here/ }))
  await asks('Is this car box right?')
  await userEvent.click(screen.getByRole('button', { name: /^Yes/ }))
  await userEvent.click(await screen.findByRole('button', { name: /^Yes, draw it/ }))
  await userEvent.click(await screen.findByRole('button', { name: 'Add a box' }))
  await userEvent.click(screen.getByRole('button', { name: /^Submit/ }))
  await waitFor(() => expect(said.get(1)?.verification).toMatchObject({ objects: [{ at: 0 }, { at: null }], missing: { found: true } }))
  expect(said.get(1)?.value.boxes).toHaveLength(2)
})

test('the keys of the questions are listed', async () => {
  serveQueue()
  openApp('/label/listed')
  await asks('Is this bus box right?')
  await userEvent.keyboard('?')
  const keys = await screen.findByRole('dialog', { name: 'Keys' })
  expect(keys.textContent).toContain('Moved: adjust the box')
  expect(keys.textContent).toContain('Wrong class')
  await userEvent.keyboard('{Escape}')
})

test('a queue that draws offers to accept all suggestions, from any score where the lead set none', async () => {
  serveQueue({ mode: 'label' })
  openApp('/label/drawn')
  await screen.findByRole('button', { name: /^Submit/ })
  await userEvent.click(screen.getByRole('button', { name: /^Accept all 2/ }))
  expect(within(screen.getByRole('list', { name: 'Shapes' })).queryByText('? model')).toBeNull()
  expect(screen.getByText('2 shapes')).toBeTruthy()
})
