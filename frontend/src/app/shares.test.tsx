// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, expect, test } from 'vitest'

import type { JobDetail, Quota, Workers } from '../shared/api/types'
import { openApp } from './testing/open-app'
import { answer, receive, refusal, serveNothing, sessionIn } from './testing/server'

serveNothing()
beforeEach(() => answer('put', '/session/preferences', {}))
afterEach(cleanup)

const roads: Quota = { project: 'roads', share: 1, slots: null, running: 2, waiting: 1204, seconds: 61.6, storage: null, held: null, counted: null, requests: null, requested: null }

function serveWorkers(...projects: Quota[]): void {
  const nothing: Workers = { machines: [], versions: [], queues: [], projects, quarantined: { images: 0, results: [] } }
  answer('get', '/workers', nothing)
}

const cells = (row: HTMLElement) => [...row.children].map(({ textContent }) => textContent)

test('an owner of the platform reads what each project has, and changes its share', async () => {
  serveWorkers(roads, { ...roads, project: 'rail', slots: 4 })
  const sent = receive('patch', '/projects/roads/quota', () => HttpResponse.json({ ...roads, share: 3 }))
  openApp('/workers')
  expect(cells(await screen.findByRole('row', { name: /roads/ }))).toEqual(['roads', '1', 'all', '2', '1,204', '62', '–', '–', 'Change… roads'])
  expect(cells(screen.getByRole('row', { name: /rail/ }))[2]).toBe('4')

  await userEvent.click(screen.getByRole('button', { name: 'Change… roads' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Quota of the project roads' }))
  await userEvent.clear(dialog.getByLabelText('Share'))
  await userEvent.type(dialog.getByLabelText('Share'), '3')
  await userEvent.type(dialog.getByLabelText('Most slots'), '2')
  serveWorkers({ ...roads, share: 3, slots: 2 })
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(sent).toEqual([{ share: 3, slots: 2 }])
  await waitFor(() => expect(cells(screen.getByRole('row', { name: /roads/ })).slice(1, 3)).toEqual(['3', '2']))
})

test('an owner of the platform bounds what a project stores and asks, and takes a bound away', async () => {
  const bounded = { ...roads, storage: 5e11, held: 48_200_000, counted: '2026-11-01T12:00:00Z', requests: 6000, requested: 1234 }
  serveWorkers(bounded)
  const sent = receive('patch', '/projects/roads/quota', () => HttpResponse.json(bounded))
  openApp('/workers')
  const row = await screen.findByRole('row', { name: /roads/ })
  expect(cells(row).slice(6, 8)).toEqual(['48.2 MB of 500 GB', '1,234 of 6,000'])

  await userEvent.click(screen.getByRole('button', { name: 'Change… roads' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Quota of the project roads' }))
  const storage = dialog.getByLabelText<HTMLInputElement>('Most storage, GB')
  expect(storage.value).toBe('500')
  await userEvent.clear(storage)
  await userEvent.type(storage, '1.5')
  await userEvent.clear(dialog.getByLabelText('Most requests a minute'))
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(sent).toEqual([{ share: 1, slots: null, storage: 1_500_000_000, requests: null }]))
})

test('what is stored shows without a bound, and a refused bound stands at its field', async () => {
  serveWorkers({ ...roads, held: 2_000, counted: '2026-11-01T12:00:00Z' })
  receive('patch', '/projects/roads/quota', () => refusal({ status: 409, code: 'requests_uncounted', detail: 'Requests are counted in Redis: set MOTHERLODE_COUNTERS_URL.' }))
  openApp('/workers')
  expect(cells(await screen.findByRole('row', { name: /roads/ })).slice(6, 8)).toEqual(['2 kB', '–'])
  await userEvent.click(screen.getByRole('button', { name: 'Change… roads' }))
  await userEvent.type(screen.getByLabelText('Most requests a minute'), '10')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(/MOTHERLODE_COUNTERS_URL/)).toBeTruthy()
})

test('what the server refuses stands at its field', async () => {
  serveWorkers(roads)
  receive('patch', '/projects/roads/quota', () => refusal({ status: 400, detail: 'share: must be at most 1000', errors: { share: ['must be at most 1000'] } }))
  openApp('/workers')
  await userEvent.click(await screen.findByRole('button', { name: 'Change… roads' }))
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText(/must be at most 1000/i)).toBeTruthy()
  expect(screen.getByRole('dialog')).toBeTruthy()
})

test('members read the shares and change none', async () => {
  answer('get', '/session', sessionIn([{ project: 'roads', role: 'owner' }]))
  serveWorkers(roads)
  openApp('/workers')
  expect(await screen.findByRole('row', { name: /roads/ })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Change… roads' })).toBeNull()
})

const job: JobDetail = {
  id: 7, kind: 'mine', title: 'Mine the pool', state: 'queued', project: 'roads', priority: 'normal', result: null, error: null, created: '2026-11-01T12:00:00Z',
  started: null, finished: null, progress: { done: 0, total: 9, rate: null, eta: null, unit: 'samples' }, failed_shards: 0, missing: null, waiting: null, retriable: false, url: '/jobs/7',
  href: '/jobs/7', points: [], log: [], next: 0,
}

function serveJob(part: Partial<JobDetail>): void {
  answer('get', '/jobs/7', { ...job, ...part })
  answer('get', '/jobs/7/shards', { results: [], next: null })
}

test('an engineer lets a job go first; what is refused leaves its priority', async () => {
  answer('get', '/session', sessionIn([{ project: 'roads', role: 'engineer' }]))
  serveJob({})
  const sent = receive('patch', '/jobs/7', () => {
    serveJob({ priority: 'high' })
    return HttpResponse.json({ ...job, priority: 'high' })
  })
  openApp('/jobs/7')
  const priority = () => screen.getByLabelText<HTMLSelectElement>('Priority')
  await screen.findByLabelText('Priority')
  await userEvent.selectOptions(priority(), 'high')
  await waitFor(() => expect(sent).toEqual([{ priority: 'high' }]))
  await waitFor(() => expect(priority().value).toBe('high'))

  receive('patch', '/jobs/7', () => refusal({ status: 409, detail: 'Job 7 is succeeded.', code: 'job_ended' }))
  await userEvent.selectOptions(priority(), 'low')
  expect(await screen.findByText(/The priority is what it was/)).toBeTruthy()
  await waitFor(() => expect(priority().value).not.toBe('low'))
})

test('an engineer of another project only reads it; an ended job has none to change', async () => {
  answer('get', '/session', sessionIn([{ project: 'rail', role: 'engineer' }, { project: 'roads', role: 'viewer' }]))
  serveJob({})
  openApp('/jobs/7')
  expect(await screen.findByText('normal priority')).toBeTruthy()
  expect(screen.queryByLabelText('Priority')).toBeNull()
  cleanup()
  answer('get', '/session', sessionIn([{ project: 'rail', role: 'engineer' }]))
  serveJob({ state: 'cancelled' })
  openApp('/jobs/7')
  expect(await screen.findByRole('heading', { name: 'Mine the pool' })).toBeTruthy()
  expect(screen.queryByText('normal priority')).toBeNull()
})

test('a job that no living worker can do says why, until one comes', async () => {
  answer('get', '/session', sessionIn([{ project: 'roads', role: 'viewer' }]))
  serveJob({ missing: 'no worker has a GPU of 16 GiB: none listens to queue gpu' })
  openApp('/jobs/7')
  expect(await screen.findByText('No worker has a GPU of 16 GiB: none listens to queue gpu.')).toBeTruthy()
  expect(screen.getAllByRole('link', { name: 'See the workers' })[0]?.getAttribute('href')).toBe('/app/workers')
  cleanup()
  serveJob({})
  openApp('/jobs/7')
  expect(await screen.findByRole('heading', { name: 'Mine the pool' })).toBeTruthy()
  expect(screen.queryByText(/No worker can do it/)).toBeNull()
})
