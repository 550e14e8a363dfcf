// @vitest-environment jsdom

import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Embeddings, Sample } from '../shared/api/types'
import { choicesOf, choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

const at = '/datasets/:reference/versions/:number'
const created = '2026-11-01T12:00:00Z'

function aSample(key: string, id: number): Sample {
  return {
    id, key, digest: String(id), split: 'pool', label: null, label_source: null, label_facts: null, width: 400, height: 200, media_type: 'image/png', original: null, meta: {}, url: `/blobs/${id}`, thumb: `/thumbs/${id}`,
  }
}

const samples = ['a.png', 'b.png', 'c.png'].map((key, place) => aSample(key, place + 1))
const all: Embeddings = { version: 1, model: null, encoder: null, by: 'efficientnet_lite0', samples: 3, embedded: 3, unreadable: 0, missing: 0, words: { ready: true, by: 'the names of classes', about: 'Blind to letters.' }, job: null }
const job = {
  id: 9, kind: 'embed', title: 'Compute embeddings of pets v1', state: 'running', result: null, error: null, created, started: created, finished: null, progress: { done: 1, total: 3, rate: 1, eta: 2, unit: 'samples' }, failed_shards: 0, priority: 'normal', project: 'default', retriable: false, url: '/jobs/9', href: '/jobs/9', turn: null, created_by: 'owner', waiting: null,
}

/** What was asked of the search, as queries. */
function serve(embeddings: Partial<Embeddings> = {}, encoders: { name: string }[] = []): URLSearchParams[] {
  const asked: URLSearchParams[] = []
  answer('get', '/datasets/:reference', aDataset({ counts: { samples: 3, labelled: 0, by_split: { pool: 3 }, by_class: {} } }) as never)
  answer('get', `${at}/facets`, { total: 3, split: { pool: 3 }, label: {}, labelled: { true: 0, false: 3 } })
  answer('get', `${at}/samples`, { results: samples, total: 3, offset: 0, next: null } as never)
  answer('get', `${at}/embeddings`, { ...all, ...embeddings } as never)
  list('/datasets/:reference/near-duplicates', [])
  list('/datasets/:reference/versions', [])
  list('/datasets/:reference/slices', [])
  list('/datasets/:reference/tags', [])
  list('/models', [aModel() as never])
  list('/encoders', encoders as never)
  answer('get', '/datasets/:reference/samples/:key/lineage', { id: 1, key: 'a.png', revisions: [], labels: [] } as never)
  receive('get', `${at}/similar`, ({ url }) => {
    asked.push(url.searchParams)
    const ordered = [samples[1], samples[0], samples[2]].map((sample, place) => ({ ...sample, similarity: 1 - place * 0.246 }))
    const results = ordered.slice(0, Number(url.searchParams.get('limit')))
    return Response.json({ results, total: 3, offset: 0, compared: 3, missing: 0, unreadable: 0, version: 1, model: null, encoder: null, by: 'efficientnet_lite0', words: null })
  })
  return asked
}

/** jsdom lays nothing out: without a size the grid has no rows. */
beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(900)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(700)
})

const tiles = async () => (await screen.findAllByRole('gridcell')).map((tile) => within(tile).getByRole('img').getAttribute('alt'))

test('a tile’s button orders the grid by similarity, with a chip that takes it away, and filters stay', async () => {
  const asked = serve()
  openApp('/datasets/pets?split=pool')
  await userEvent.click(await screen.findByRole('button', { name: 'Similar to b.png' }))
  const chip = await screen.findByRole('button', { name: /^Similar to b\.png: show all samples again/ })
  await waitFor(async () => expect(await tiles()).toEqual(['b.png', 'a.png', 'c.png']))
  expect(screen.getAllByTitle(/^Cosine similarity/).map((each) => each.textContent)).toEqual(['similarity 1.00', 'similarity 0.75', 'similarity 0.51'])
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ to: 'b.png', split: 'pool' })
  expect(location.search).toContain('similar=b.png')
  await userEvent.click(chip)
  await waitFor(async () => expect(await tiles()).toEqual(['a.png', 'b.png', 'c.png']))
  expect(location.search).toBe('?split=pool')
})

test('the key S does the same from the keyboard, and the list of keys says so', async () => {
  serve()
  openApp('/datasets/pets')
  const [, , third] = await screen.findAllByRole('gridcell')
  third?.focus()
  await userEvent.keyboard('s')
  expect(await screen.findByRole('button', { name: /^Similar to c\.png/, description: '' })).toBeTruthy()
  await userEvent.keyboard('?')
  expect(await screen.findByText('Find samples similar to this one')).toBeTruthy()
  await userEvent.keyboard('{Escape}')
})

test('an address that was shared shows the same; a part without numbers is none', async () => {
  const asked = serve()
  openApp('/datasets/pets?similar=b.png&crop=10,20,30,40&by=pets-cnn@1')
  expect(await screen.findByRole('button', { name: /^Similar to a part of b\.png/ })).toBeTruthy()
  await waitFor(() => expect(asked.length).toBeGreaterThan(0))
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ to: 'b.png', x: '10', y: '20', width: '30', height: '40', model: 'pets-cnn@1' })
  openApp('/datasets/pets?similar=b.png&crop=1,2')
  expect(await screen.findByRole('button', { name: /^Similar to b\.png: show/ })).toBeTruthy()
})

test('without embeddings one click computes them', async () => {
  serve({ embedded: 0, missing: 3 })
  const sent = receive('post', `${at}/embeddings`, () => Response.json({ ...all, embedded: 0, missing: 3, job }, { status: 202 }))
  answer('get', '/jobs/9', { ...job, points: [], log: [], next: 0 } as never)
  openApp('/datasets/pets?similar=b.png')
  await userEvent.click(await screen.findByRole('button', { name: 'Compute embeddings' }))
  expect(await screen.findByRole('progressbar', { name: 'Computing embeddings' })).toBeTruthy()
  expect(sent).toEqual([{ model: null, encoder: null }])
})

test('whoever may not compute them is told whom to ask', async () => {
  serve({ embedded: 0, missing: 3 })
  answer('get', '/session', sessionOf('viewer'))
  openApp('/datasets/pets?similar=b.png')
  expect(await screen.findByText(/Ask an engineer or an owner of the project/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Compute embeddings' })).toBeNull()
})

test('samples that were added since are counted, beside what is found', async () => {
  serve({ embedded: 2, missing: 1 })
  openApp('/datasets/pets?similar=b.png')
  expect(await screen.findByText('1 of 3 samples has no embedding yet and is not compared.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Compute it' })).toBeTruthy()
  expect(await tiles()).toEqual(['b.png', 'a.png', 'c.png'])
})

test('in the drawer a part is moved by keys and searched for', async () => {
  const asked = serve()
  openApp('/datasets/pets')
  await userEvent.click((await screen.findAllByRole('gridcell'))[0] as HTMLElement)
  const drawer = await screen.findByRole('dialog')
  await userEvent.click(within(drawer).getByRole('button', { name: 'Similar to a part…' }))
  const part = within(drawer).getByRole('application', { name: 'Part of the image: 200 × 100 px at 100, 50' })
  fireEvent.keyDown(part, { key: 'ArrowRight' })
  fireEvent.keyDown(part, { key: 'ArrowUp', shiftKey: true })
  expect(part.getAttribute('aria-label')).toBe('Part of the image: 200 × 90 px at 120, 50')
  await userEvent.click(within(drawer).getByRole('button', { name: 'Find similar to this part' }))
  await waitFor(() => expect(asked.length).toBeGreaterThan(0))
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ to: 'a.png', x: '120', y: '50', width: '200', height: '90' })
  // The drawer that led here has no entry of its own to go back through.
  history.back()
  await waitFor(() => expect(location.search).toBe(''))
  await waitFor(() => expect(history.state).not.toHaveProperty('drawer'))
})

test('the search by meaning orders the grid by likeness to words, says by what, and its chip takes it away', async () => {
  const asked = serve()
  openApp('/datasets/pets?split=pool')
  await userEvent.selectOptions(await screen.findByLabelText('Search by'), 'meaning')
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search by meaning' }), 'a red car{Enter}')
  const chip = await screen.findByRole('button', { name: /^Like “a red car”, by ImageNet’s names: show all samples again/ })
  await waitFor(async () => expect(await tiles()).toEqual(['b.png', 'a.png', 'c.png']))
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ text: 'a red car', split: 'pool' })
  expect(asked[0]?.has('to')).toBe(false)
  expect(new URLSearchParams(location.search).get('words')).toBe('a red car')
  expect(screen.getByText('Compared with the names of classes')).toBeTruthy()
  expect(screen.getByText('Blind to letters.')).toBeTruthy()
  expect(screen.queryByText('Compared by')).toBeNull()
  await userEvent.click(chip)
  await waitFor(async () => expect(await tiles()).toEqual(['a.png', 'b.png', 'c.png']))
  expect(location.search).toBe('?split=pool')
})

test('a slash leads to the search field, and the list of keys says so', async () => {
  serve()
  openApp('/datasets/pets?words=a red car')
  expect(await screen.findAllByRole('gridcell')).toHaveLength(3)
  await userEvent.keyboard('/')
  expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search by meaning' }))
  ;(document.activeElement as HTMLElement).blur()
  await userEvent.keyboard('?')
  expect(await screen.findByText('Search by key or by meaning')).toBeTruthy()
  await userEvent.keyboard('{Escape}')
})

test('words that no image is like are said to be unknown, with the nearest ones that are known', async () => {
  serve()
  const detail = 'No image is like “a horse”: the nearest words are sorrel, zebra.'
  const words = { text: 'a horse', tokens: 4, read: 4, about: 'Blind to letters.', unknown: { known: true, similarity: 0.46, least: 0.5, nearest: ['sorrel', 'zebra'], detail } }
  answer('get', `${at}/similar`, { results: [], total: 3, offset: 0, compared: 3, missing: 0, unreadable: 0, version: 1, model: null, encoder: null, by: 'names', words } as never)
  openApp('/datasets/pets?words=a horse')
  expect(await screen.findByText(detail)).toBeTruthy()
})

test('where words can’t be read yet one click makes what reads them', async () => {
  serve({ words: { ready: false, by: 'the names of classes', about: 'Blind to letters.' } })
  const sent = receive('post', `${at}/embeddings`, () => Response.json({ ...all, job }, { status: 202 }))
  answer('get', '/jobs/9', { ...job, points: [], log: [], next: 0 } as never)
  openApp('/datasets/pets?words=a red car')
  expect(await screen.findByText(/The images have embeddings; what reads words beside them is made once/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Compute embeddings' }))
  await waitFor(() => expect(sent).toEqual([{ model: null, encoder: null }]))
})

test('the first samples that words find become a slice of these samples', async () => {
  serve()
  const saved = receive('post', '/datasets/:reference/slices', () => Response.json({ name: 'red-cars' }, { status: 201 }))
  openApp('/datasets/pets?words=a red car')
  const first = await screen.findByLabelText('The first')
  await userEvent.clear(first)
  await userEvent.click(screen.getByRole('button', { name: 'Save these as a slice…' }))
  expect(screen.getByRole('alert').textContent).toBe('Type a whole number from 1 to 1,000.')
  expect(screen.queryByRole('dialog')).toBeNull()
  await userEvent.type(first, '2')
  await userEvent.click(screen.getByRole('button', { name: 'Save these as a slice…' }))
  const dialog = await screen.findByRole('dialog')
  await userEvent.type(within(dialog).getByLabelText('Name'), 'red-cars')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(saved).toEqual([{ name: 'red-cars', filter: 'samples in (2, 1)' }]))
  await waitFor(() => expect(location.search).toBe('?slice=red-cars'))
})

test('where a project has encoders words are compared by the newest, another can be chosen, and the address says by which', async () => {
  const words = { ready: true, by: 'clip', about: 'It depends.' }
  const asked = serve({ encoder: 'clip', by: 'clip', words }, [{ name: 'clip' }, { name: 'siglip' }])
  openApp('/datasets/pets')
  await userEvent.selectOptions(await screen.findByLabelText('Search by'), 'meaning')
  const picker = await screen.findByLabelText('Compare words by')
  expect(await choicesOf(picker)).toEqual(['by ImageNet’s names', 'by clip', 'by siglip'])
  expect(picker).toHaveProperty('value', 'by clip')
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search by meaning' }), 'a red car{Enter}')
  expect(await screen.findByRole('button', { name: /^Like “a red car”, by clip: show all/ })).toBeTruthy()
  await waitFor(() => expect(asked.length).toBeGreaterThan(0))
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ text: 'a red car', encoder: 'clip' })
  expect(new URLSearchParams(location.search).get('encoder')).toBe('clip')
  expect(screen.getByText('Compared by the encoder clip')).toBeTruthy()
  await choose(screen.getByLabelText('Compare words by'), 'by siglip')
  await waitFor(() => expect(asked.at(-1)?.get('encoder')).toBe('siglip'))
  await choose(screen.getByLabelText('Compare words by'), 'by ImageNet’s names')
  expect(await screen.findByRole('button', { name: /^Like “a red car”, by ImageNet’s names: show all/ })).toBeTruthy()
  await waitFor(() => expect(asked.at(-1)?.has('encoder')).toBe(false))
})

test('without encoders there is no choice, and an address of one that is gone still names it', async () => {
  const asked = serve()
  openApp('/datasets/pets?words=a red car')
  expect(await screen.findAllByRole('gridcell')).toHaveLength(3)
  expect(screen.queryByLabelText('Compare words by')).toBeNull()
  openApp('/datasets/pets?words=a red car&encoder=gone')
  expect(await screen.findByLabelText('Compare words by')).toHaveProperty('value', 'by gone')
  await waitFor(() => expect(asked.at(-1)?.get('encoder')).toBe('gone'))
})

test('samples like another one can be compared by an encoder too', async () => {
  const asked = serve({}, [{ name: 'clip' }])
  openApp('/datasets/pets?similar=b.png&by=pets-cnn@1')
  await choose(await screen.findByLabelText('Compared by'), 'clip')
  await waitFor(() => expect(asked.at(-1)?.get('encoder')).toBe('clip'))
  expect(asked.at(-1)?.has('model')).toBe(false)
  await choose(screen.getByLabelText('Compared by'), 'ImageNet features, without a model of yours')
  await waitFor(() => expect(asked.at(-1)?.has('encoder')).toBe(false))
})
