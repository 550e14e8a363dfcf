// @vitest-environment jsdom

import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { Lake, LakeFrame, LakeScan } from '../shared/api/types'
import { choicesOf, choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const lake: Lake = {
  dataset: 'pets', frames: 100_000_000, bytes: 30_000_000_000, parts: 1, groups: 1526, packs: 900, brought_in: 1_000, samples: 1_500,
  columns: { speed: 'integer' }, strategies: ['margin', 'random'],
}

function aFrame(key: string, part: Partial<LakeFrame> = {}): LakeFrame {
  return {
    key, md5: 'a', sha256: 'b', size: 2_000, pack: 'c', offset: 0, width: 28, height: 28, meta: {}, sample: false,
    thumb: `/datasets/1/lake/bytes/${key}/thumb`, url: `/datasets/1/lake/bytes/${key}`, ...part,
  }
}

function openLake(scans: LakeScan[] = []): void {
  answer('get', '/datasets/pets', aDataset({ name: 'pets' }))
  answer('get', '/datasets/pets/lake', lake)
  list('/datasets/pets/lake/scans', scans)
  list('/datasets/pets/lake/parts', [
    { id: 3, source: 'archive', frames: 100_000_000, bytes: 30_000_000_000, first: 'a.png', last: 'z.png', groups: 1526, packs: 900, columns: {}, by: 'ann', created: '2026-11-01T12:00:00Z' },
  ])
  openApp('/datasets/pets/lake')
}

test('frames are asked for by key and conditions, and a refusal stands at its field', async () => {
  const asked: string[] = []
  receive('get', '/datasets/pets/lake/frames', ({ url }) => {
    asked.push(url.search)
    if (url.searchParams.get('where') === 'pace>3') return refusal({ status: 400, detail: 'no', errors: { where: ['there is no column pace'] } })
    return HttpResponse.json({ results: [aFrame('d/1.png', { sample: true }), aFrame('d/2.png')], next: null })
  })
  openLake()
  await screen.findByText(/100,000,000 frames \(30.* GB\) in 1 part\. 1,000 of them are among the 1,500 samples/)
  await screen.findByText('28 × 28, 2 kB, a sample')
  fireEvent.change(screen.getByLabelText('Keys that begin with'), { target: { value: 'd/' } })
  fireEvent.change(screen.getByLabelText('Conditions'), { target: { value: 'speed>=30, width<640' } })
  fireEvent.click(screen.getByRole('button', { name: 'Show' }))
  await screen.findByText('d/2.png')
  const wanted = new URLSearchParams(asked.at(-1))
  expect([wanted.get('prefix'), wanted.getAll('where')]).toEqual(['d/', ['speed>=30', 'width<640']])
  fireEvent.change(screen.getByLabelText('Conditions'), { target: { value: 'pace>3' } })
  fireEvent.click(screen.getByRole('button', { name: 'Show' }))
  await screen.findByText(/there is no column pace/i)
})

test('a scan is started from what is typed, by a strategy that can', async () => {
  list('/models', [aModel({ name: 'pets-cnn', latest: 4, aliases: [{ name: 'production', version: 3 }] })])
  list('/strategies', ['margin', 'k_center', 'random'].map((name) => ({ name, summary: name, needs: [], tasks: ['classification'], replays: [], params_schema: {} })))
  list('/datasets/pets/lake/frames', [])
  const sent = receive('post', '/datasets/pets/lake/scans', () => HttpResponse.json({}, { status: 202 }))
  openLake()
  fireEvent.click(await screen.findByRole('button', { name: 'Scan the lake' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await choicesOf(dialog.getByLabelText('Model'))).toEqual(['pets-cnn, production (v3)', 'pets-cnn v4', 'pets-cnn v3', 'pets-cnn v2', 'pets-cnn v1'])
  expect(dialog.queryByRole('option', { name: 'k center' })).toBeNull()
  await choose(dialog.getByLabelText('Model'), 'pets-cnn v2')
  fireEvent.change(dialog.getByLabelText('Picks'), { target: { value: '500' } })
  fireEvent.change(dialog.getByLabelText('Keys that begin with'), { target: { value: 'd/' } })
  fireEvent.change(dialog.getByLabelText('Queue'), { target: { value: 'doubtful' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Start the scan' }))
  await expect.poll(() => sent).toEqual([
    { model: 'pets-cnn@2', strategy: { name: 'margin', params: {} }, count: 500, control: 0.1, seed: 0, prefix: 'd/', where: [], queue: 'doubtful' },
  ])
})

test('a part is removed once that was confirmed', async () => {
  list('/datasets/pets/lake/frames', [])
  const removed = receive('delete', '/datasets/pets/lake/parts/3', () => new HttpResponse(null, { status: 204 }))
  openLake()
  fireEvent.click(await screen.findByText('part 3'))
  expect(removed).toEqual([])
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Remove the part' }))
  await expect.poll(() => removed).toHaveLength(1)
})

interface Begun {
  name: string
  size: number
}

const files = (dialog: { getByLabelText: (label: string) => HTMLElement }, chosen: File[]) => fireEvent.change(dialog.getByLabelText('Choose files'), { target: { files: chosen } })

test('an empty lake is filled on the page: images become one archive, sent in parts, and what was refused is said', async () => {
  answer('get', '/datasets/pets', aDataset({ name: 'pets' }))
  answer('get', '/datasets/pets/lake', { ...lake, parts: 0, frames: 0 })
  const begun = receive('post', '/datasets/pets/archives', () => HttpResponse.json({ id: 'f'.repeat(32), name: '', size: 3072, part_bytes: 2000, parts: 2, received: [0] })) as unknown as Begun[]
  const parts = receive('put', `/datasets/pets/archives/${'f'.repeat(32)}/parts/1`, () => new HttpResponse(null, { status: 204 }))
  const asked = receive('post', '/datasets/pets/lake/parts', () => HttpResponse.json({ id: 9, state: 'running' }, { status: 202 }))
  answer('get', '/jobs/9', {
    id: 9, state: 'succeeded', result: { part: 1, frames: 1, bytes: 5, groups: 1, packs: 1, refused: 1, first_refused: [{ key: 'day-2/b.png', code: 'not_an_image', detail: 'is broken' }] },
  } as never)
  openApp('/datasets/pets/lake')
  fireEvent.click(await screen.findByRole('button', { name: 'Add frames' }))
  const dialog = within(await screen.findByRole('dialog'))
  files(dialog, [new File(['first'], 'a.png'), new File(['two'], 'b.png'), new File(['x'], 'labels.csv')])
  expect(await dialog.findByText('1 other file stays behind')).toBeTruthy()
  fireEvent.change(dialog.getByLabelText('Keys begin with'), { target: { value: '../' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Add 2 images' }))
  expect(await dialog.findByText(/A key doesn’t begin with/)).toBeTruthy()
  fireEvent.change(dialog.getByLabelText('Keys begin with'), { target: { value: 'day-2/' } })
  expect(dialog.getByText(/The first key: day-2\/a\.png\./)).toBeTruthy()
  fireEvent.click(dialog.getByRole('button', { name: 'Add 2 images' }))
  expect(await dialog.findByText(/added to the lake; 1 file was refused\./)).toBeTruthy()
  expect(dialog.getByText('day-2/b.png')).toBeTruthy()
  expect(begun.map(({ name, size }) => [name, size])).toEqual([['day-2/a.png ..', 3072]])
  expect(parts).toEqual(['\0'.repeat(1072)])
  expect(asked).toEqual([{ archive: { upload: 'f'.repeat(32) } }])
})

test('a manifest is sent as one', async () => {
  list('/datasets/pets/lake/frames', [])
  receive('post', '/datasets/pets/archives', () => HttpResponse.json({ id: 'e'.repeat(32), name: '', size: 4, part_bytes: 2000, parts: 1, received: [0] }))
  const asked = receive('post', '/datasets/pets/lake/parts', () => refusal({ status: 409, detail: 'The dataset is archived.' }))
  openLake()
  fireEvent.click(await screen.findByRole('button', { name: 'Add frames' }))
  const dialog = within(await screen.findByRole('dialog'))
  files(dialog, [new File(['PAR1'], 'frames.parquet')])
  fireEvent.click(await dialog.findByRole('button', { name: 'Add the manifest' }))
  expect(await dialog.findByText('The dataset is archived.', { exact: false })).toBeTruthy()
  expect(dialog.getByText(/The lake was not changed/)).toBeTruthy()
  expect(asked).toEqual([{ manifest: { upload: 'e'.repeat(32) } }])
})
