// @vitest-environment jsdom

import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { aDataset, aModel, aSchema } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const classes = ['stop', 'yield']
const perClass = { support: 20, precision: 0.7, recall: 0.5, f1: 0.58, threshold: 0.42 }
const curve = { precision: Array.from({ length: 101 }, () => 0.8), score: Array.from({ length: 101 }, (_, at) => 0.9 - at / 200) }
const metrics = {
  map: 0.3, per_class: { stop: perClass, yield: perClass }, confusion: [[9, 1, 10], [0, 5, 15], [4, 0, 0]], confused: [['stop', 'yield', 1]], curves: { stop: curve, yield: null },
}

function serveVersion(task = 'detection') {
  answer('get', '/models/signs', aModel({ name: 'signs', task, classes }))
  answer('get', '/models/signs/versions/1', {
    model: 'signs', version: 1, architecture: 'centre_lite0', digest: 'ab'.repeat(32), dataset: 'roads', dataset_version: 2, run: null, aliases: [],
    metrics: task === 'detection' ? metrics : { map: 0.3, accuracy: 0.5, per_class: { stop: perClass } }, size: 1_000, tensorrt: 'not verified', precisions: [], warnings: [], notes: '',
    created: '2026-11-01T12:00:00Z', slices: { night: { samples: 7, map: 0.2 }, gone: { not_computed: 'no sample' } }, gates: [],
    lineage: { dataset: null, dataset_version: null, run: null, cloned_from: null, parent: null, made_from: [], children: [], hidden: 0 }, report: {}, lock: {}, artifacts: [], promotions: [],
  })
}

const wrong = { md5: 'ab', key: 'a 1.png', sample: 11, width: 400, height: 200, label: 'yield', predicted: 'stop', score: 0.83, box: [0.1, 0.1, 0.2, 0.3], object: [0.1, 0.1, 0.2, 0.35], overlap: 0.8 }
const nothing = { ...wrong, md5: 'cd', key: 'b.png', sample: 12, width: 100, height: 100, label: null, score: 0.61, object: null, overlap: 0.12 }
const again = { ...nothing, key: 'd.png', sample: 13, overlap: 0.79 }
const unfound = { ...wrong, md5: 'ef', key: 'e.png', sample: 14, predicted: null, score: 0.49, box: null, overlap: 0 }
const gone = { ...wrong, key: 'c.png', sample: null, score: 0.5 }

/** Answers the list with its rows, a page each; returns what was asked for. */
function serveList(pages: readonly (readonly object[])[], part: object = {}): string[] {
  const asked: string[] = []
  receive('get', '/models/signs/versions/1/outcomes', ({ url }) => {
    asked.push(url.search)
    const at = Number(url.searchParams.get('cursor') ?? 0)
    const next = at + 1 < pages.length ? `http://localhost/models/signs/versions/1/outcomes?cursor=${at + 1}` : null
    const head = { dataset: 'roads', version: 2, split: 'test', total: pages.flat().length, counts: { right: 12, wrong: 3, missed: 8 } }
    return HttpResponse.json({ ...head, results: [...(pages[at] ?? [])], next, ...part })
  })
  answer('get', '/models/signs/versions/1/outcomes/samples', { dataset: 'roads', version: 2, split: 'test', total: 3, samples: [{ id: 11, key: 'a 1.png' }, { id: 12, key: 'b.png' }] })
  return asked
}

function target(name: string | RegExp): string | null {
  return screen.getByRole('link', { name }).getAttribute('href')
}

const list1 = '/app/models/signs/1/outcomes'

test('a cell, a class, a slice and a point of a curve lead to their lists', async () => {
  serveVersion()
  openApp('/models/signs/1')
  await screen.findByRole('link', { name: /^stop where there is nothing: 4/ })
  expect(target(/^stop where there is nothing: 4/)).toBe(`${list1}?kind=cell&label=-1&predicted=stop`)
  expect(target(/^yield not found: 15/)).toBe(`${list1}?kind=cell&label=yield&predicted=-1`)
  expect(target('stop taken for yield (1 object)')).toBe(`${list1}?kind=cell&label=stop&predicted=yield`)
  const links = (name: string) => screen.getAllByRole('link', { name }).map((link) => link.getAttribute('href'))
  expect(links('stop: missed')).toEqual([`${list1}?kind=missed&class=stop`, `${list1}?kind=missed&class=stop&threshold=0.65`])
  expect(links('night: wrong')).toEqual([`${list1}?kind=wrong&slice=night`])
  expect(screen.queryByRole('link', { name: 'gone: wrong' })).toBeNull()
  fireEvent.change(screen.getByLabelText(/^Recall/), { target: { value: '80' } })
  expect(links('stop: wrong')[1]).toBe(`${list1}?kind=wrong&class=stop&threshold=0.5`)
})

test('a list says what it is, how many of how many, and shows each with its class, score and overlap', async () => {
  serveVersion()
  const asked = serveList([[wrong, nothing], [again, gone]])
  openApp('/models/signs/1/outcomes?kind=wrong&class=stop&threshold=0.45&slice=night')
  expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe('signs v1: wrong stop boxes, at 0.45 and above, in slice night')
  expect(await screen.findByText('4 of 15 boxes: precision 80.0 %')).toBeTruthy()
  expect(asked).toEqual(['?kind=wrong&class=stop&threshold=0.45&slice=night&limit=48'])
  const [first, second] = within(screen.getByRole('region', { name: /^wrong stop boxes/ })).getAllByRole('listitem')
  expect(first?.textContent).toBe('yield→stopscore 0.83, overlap 0.80')
  expect(second?.textContent).toBe('nothing→stopscore 0.61, overlap 0.12')
  expect(within(first as HTMLElement).getByRole('link').getAttribute('href')).toBe('/app/datasets/roads?v=2&ids=11')
  const sources = screen.getAllByRole('img').map((image) => image.getAttribute('src'))
  expect(sources).toEqual(['/blobs/ab', '/thumbs/cd'])
  await userEvent.click(screen.getByRole('button', { name: 'Show more after 2' }))
  expect(await screen.findByText('no longer in the dataset')).toBeTruthy()
  expect(screen.getByRole('checkbox', { name: 'Select d.png, stop where an object is found already' })).toBeTruthy()
  expect(screen.getByRole('checkbox', { name: 'Select c.png, yield taken for stop' })).toHaveProperty('disabled', true)
})

test('what is asked for stands in the address, and going back brings the list before', async () => {
  serveVersion()
  serveList([[wrong]])
  openApp('/models/signs/1/outcomes?kind=wrong')
  await userEvent.selectOptions(await screen.findByLabelText('Class'), 'yield')
  await userEvent.type(await screen.findByLabelText('Lowest score'), '0.3{enter}')
  await userEvent.click(await screen.findByRole('link', { name: /^Missed/ }))
  expect(location.search).toBe('?kind=missed&class=yield&threshold=0.3')
  expect((await screen.findByRole('heading', { level: 1 })).textContent).toContain('missed yield, at 0.3 and above')
  history.back()
  expect(await screen.findByRole('heading', { level: 1, name: /wrong yield boxes/ })).toBeTruthy()
  await userEvent.selectOptions(await screen.findByLabelText('Order'), 'class by class')
  expect(location.search).toBe('?kind=wrong&class=yield&threshold=0.3&order=class')
})

test('a threshold that is none says so in the house’s way, and changes nothing', async () => {
  serveVersion()
  const asked = serveList([[wrong]])
  openApp('/models/signs/1/outcomes?kind=wrong')
  const field = await screen.findByLabelText('Lowest score')
  await userEvent.type(field, '2{Enter}')
  expect(await screen.findByText('Type a number from 0 to 1.')).toBeTruthy()
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(location.search).toBe('?kind=wrong')
  await userEvent.clear(field)
  await userEvent.type(field, '0.4{Enter}')
  await waitFor(() => expect(new URLSearchParams(location.search).get('threshold')).toBe('0.4'))
  expect(asked.length).toBeGreaterThan(0)
})

test('the whole list becomes a slice, and its dialog says that nothing is trained on', async () => {
  serveVersion()
  serveList([[wrong, nothing]])
  const sent = receive('post', '/datasets/roads/slices', () => HttpResponse.json({ name: 'signs-v1-missed-stop' }))
  openApp('/models/signs/1/outcomes?kind=missed&class=stop')
  await userEvent.click(await screen.findByRole('button', { name: 'Save as a slice…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Save 2 samples as a slice' }))
  expect(dialog.getByText(/stay in split test/)).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  expect(sent).toEqual([{ name: 'signs-v1-missed-stop', filter: { samples: [11, 12] } }])
})

test('selected samples become a queue in the mode that is chosen', async () => {
  serveVersion()
  serveList([[wrong, nothing, { ...wrong, score: 0.2 }]])
  const sent = receive('post', '/labeling/queues', () => HttpResponse.json({ id: 5 }))
  openApp('/models/signs/1/outcomes?kind=cell&label=yield&predicted=stop')
  for (const box of await screen.findAllByRole('checkbox', { name: /^Select a 1.png/ })) await userEvent.click(box)
  expect(screen.getByText('2 entries selected')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Send to a queue…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Send 1 sample to a queue' }))
  expect(dialog.getByText(/asked about each object of the present label/)).toBeTruthy()
  expect(dialog.getByText(/stay in split test.*nothing is trained on them/)).toBeTruthy()
  await userEvent.selectOptions(dialog.getByLabelText('Mode'), 'Draw and correct')
  expect(dialog.getByText(/draw anew/)).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: 'Send' }))
  expect(sent).toEqual([{ name: 'signs-v1-yield-taken-for-stop', dataset: 'roads', samples: ['a 1.png'], answers_per_task: 1, mode: 'label' }])
})

test('a queue of samples with classes asks for no mode', async () => {
  serveVersion('classification')
  answer('get', '/labeling/queues/5', { id: 5 })
  serveList([[{ ...wrong, box: null, object: null, overlap: null }]])
  const sent = receive('post', '/labeling/queues', () => HttpResponse.json({ id: 5 }))
  openApp('/models/signs/1/outcomes?kind=missed&class=yield')
  expect(await screen.findByText('83.0 % sure')).toBeTruthy()
  expect(screen.getByRole('img').getAttribute('src')).toBe('/thumbs/ab')
  await userEvent.click(screen.getByRole('button', { name: 'Send to a queue…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.queryByLabelText('Mode')).toBeNull()
  await userEvent.click(dialog.getByRole('button', { name: 'Send' }))
  expect(sent).toEqual([expect.not.objectContaining({ mode: expect.anything() as unknown })])
})

test('samples of a list are relabelled in the dataset, and Undo takes that back', async () => {
  serveVersion('classification')
  serveList([[{ ...wrong, box: null, object: null, overlap: null }, nothing]])
  answer('get', '/datasets/roads', aDataset({ name: 'roads', classes, head: 4 }))
  answer('get', '/datasets/roads/schema', { ...aSchema(classes), history: [] })
  const preview = { version: 4, samples: 1, changed: 1, unchanged: 0, by_split: { test: 1 }, by_class: { yield: 1 }, unlabelled: 0, moves: [], refused: [], held_out: 0, leaks: 0 }
  receive('post', '/datasets/roads/edits/preview', () => HttpResponse.json(preview))
  const commit = { version: 5, parent: 4, added: 0, updated: 1, removed: 0, labelled: 1, unchanged: 0, rejected: [] }
  const sent = receive('post', '/datasets/roads/edits', () => HttpResponse.json(commit, { status: 201 }))
  const reverted = receive('post', '/datasets/roads/reverts', () => HttpResponse.json({ ...commit, version: 6 }, { status: 201 }))
  openApp('/models/signs/1/outcomes?kind=cell&label=yield&predicted=stop')
  await userEvent.click(await screen.findByRole('checkbox', { name: /^Select a 1.png/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Relabel…' }))
  await userEvent.type(await screen.findByRole('combobox', { name: 'Class' }), 'st')
  await userEvent.click(await screen.findByRole('button', { name: 'Relabel 1 sample' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
  await screen.findByText('Undone: 1 sample as before, in version 6.')
  expect(sent).toEqual([{ filter: { samples: [11] }, clear: false, remove: false, strict: false, label: { class: 'stop' }, message: '', parent: 4 }])
  expect(reverted).toEqual([{ version: '5', message: '' }])
})

test('mining for more like these opens its form filled in, and sends the samples as wanted', async () => {
  serveVersion()
  serveList([[wrong, nothing]])
  list('/models', [aModel({ name: 'signs', task: 'detection', classes })])
  list('/datasets', [aDataset({ name: 'roads', task: 'detection', classes })])
  list('/datasets/roads/slices', [])
  list('/strategies', [{ name: 'targeted', summary: 'more like these', needs: ['embeddings', 'wanted'], tasks: ['detection'], params_schema: { properties: {} } }])
  const sent = receive('post', '/mining/jobs', () => HttpResponse.json({ id: 3 }))
  openApp('/models/signs/1/outcomes?kind=missed')
  await userEvent.click(await screen.findByRole('button', { name: 'Mine for more like these…' }))
  expect(await screen.findByLabelText('Like')).toHaveProperty('value', 'a 1.png\nb.png')
  expect(screen.getByText(/not picked and not trained on, so test images may be named/)).toBeTruthy()
  await screen.findByText('Models with the same classes as the dataset.')
  await userEvent.click(screen.getByRole('button', { name: 'Start mining' }))
  expect(sent).toEqual([expect.objectContaining({ dataset: 'roads', model: 'signs@1', strategy: { name: 'targeted', params: {} }, like: { keys: ['a 1.png', 'b.png'] } })])
})

test('a list whose samples have all left the dataset leads to nothing, and says so', async () => {
  serveVersion()
  serveList([[gone]])
  answer('get', '/models/signs/versions/1/outcomes/samples', { dataset: 'roads', version: 2, split: 'test', total: 1, samples: [] })
  openApp('/models/signs/1/outcomes?kind=missed')
  await userEvent.click(await screen.findByRole('button', { name: 'Send to a queue…' }))
  expect(await screen.findByText('None of these samples is in the dataset any more.')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('of an object that was not found, a score is that of a box below the threshold', async () => {
  serveVersion()
  serveList([[unfound, { ...unfound, key: 'f.png', score: 0, overlap: 0.31 }]])
  openApp('/models/signs/1/outcomes?kind=missed')
  await screen.findByText('a box scored 0.49, below its threshold')
  expect(screen.getByText('no box; another box overlaps by 0.31')).toBeDefined()
})
