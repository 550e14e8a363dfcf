// @vitest-environment jsdom

import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Sample } from '../shared/api/types'
import { choicesOf, choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const at = '/datasets/:reference/versions/:number'

function aSample(key: string, id: number, label: string | null): Sample {
  return {
    id, key, digest: String(id), split: 'pool', label: label === null ? null : { class: label }, label_source: label === null ? null : 'human', label_facts: null, width: 400, height: 200, media_type: 'image/png', original: null, meta: {}, url: `/blobs/${id}`, thumb: `/thumbs/${id}`,
  }
}

const samples = [aSample('a.png', 1, 'cat'), aSample('b.png', 2, 'cat'), aSample('c.png', 3, null), aSample('d.png', 4, null)]
const said = [
  { id: 1, classes: ['cat'], boxes: null, confidence: 0.91, correct: true },
  { id: 2, classes: ['dog'], boxes: null, confidence: 0.84, correct: false },
  { id: 3, classes: ['dog'], boxes: null, confidence: 0.55, correct: null },
]

/** What was asked of the list of samples, and of the facets. */
function serve(): { samples: URLSearchParams[]; facets: URLSearchParams[] } {
  const asked = { samples: [] as URLSearchParams[], facets: [] as URLSearchParams[] }
  answer('get', '/datasets/:reference', aDataset({ counts: { samples: 4, labelled: 2, by_split: { pool: 4 }, by_class: {} } }) as never)
  receive('get', `${at}/samples`, ({ url }) => {
    asked.samples.push(url.searchParams)
    return Response.json({ results: samples, total: 4, offset: 0, next: null })
  })
  receive('get', `${at}/facets`, ({ url }) => {
    asked.facets.push(url.searchParams)
    const predicted = url.searchParams.has('predicted_by') ? { scored: 3, predicted: { cat: 1, dog: 2 }, correct: { true: 1, false: 1 } } : { scored: null, predicted: null, correct: null }
    return Response.json({ total: 4, split: { pool: 3, train: 1 }, label: { cat: 2 }, labelled: { true: 2, false: 2 }, ...predicted })
  })
  answer('get', `${at}/predictions`, { results: said, version: 1, model: 'pets-cnn@1' } as never)
  answer('get', `${at}/embeddings`, { version: 1, model: 'pets-cnn@1', by: 'pets-cnn@1', samples: 4, embedded: 3, unreadable: 0, missing: 1, job: null } as never)
  for (const name of ['near-duplicates', 'versions', 'slices', 'tags'] as const) list(`/datasets/:reference/${name}`, [])
  // The server knows which models answer what the dataset asks.
  receive('get', '/models', ({ url }) => Response.json({ results: url.searchParams.get('dataset') === 'pets' ? [aModel()] : [aModel({ id: 2, name: 'birds', classes: ['tit'] })], next: null }))
  return asked
}

/** jsdom lays nothing out: without a size the grid has no rows. */
beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(900)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(700)
})

test('a chosen model says over each tile what it predicts, and of how many it says nothing', async () => {
  serve()
  openApp('/datasets/pets')
  const picker = await screen.findByLabelText(/^Predictions of/)
  expect(await choicesOf(picker)).toEqual(['none', 'pets-cnn@1'])
  await choose(picker, 'pets-cnn@1')
  // Another model is another grid.
  await waitFor(() => expect(screen.getAllByRole('gridcell')[1]?.textContent).toContain('not what the label says'))
  const [right, , alone, unscored] = screen.getAllByRole('gridcell')
  expect(right?.textContent).toContain('predicted cat0.91')
  expect(right?.textContent).not.toContain('not what the label says')
  expect(alone?.textContent).toContain('dog?')
  expect(unscored?.textContent).not.toContain('predicted')
  expect(await screen.findByText('1 of 4 samples not scored by it')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Score it' })).toBeTruthy()
})

test('the order by uniqueness is offered once a map has measured it', async () => {
  const asked = serve()
  const made = (compared: number | null) => ({ id: 3, facts: { components: 2, variance: 1, landmarks: null, width: 9, left_out: 0, seconds: 1, compared }, job: { state: 'succeeded' } })
  list('/datasets/:reference/maps', [made(null)])
  openApp('/datasets/pets')
  const unmeasured = await screen.findByRole<HTMLOptionElement>('option', { name: 'least like others first (make a map to measure it)' })
  expect(unmeasured.disabled).toBe(true)
  cleanup()
  list('/datasets/:reference/maps', [made(4)])
  openApp('/datasets/pets')
  await screen.findByRole('option', { name: 'least like others first' })
  fireEvent.change(screen.getByLabelText(/^Order/), { target: { value: '-uniqueness' } })
  await waitFor(() => expect(asked.samples.at(-1)?.get('order')).toBe('-uniqueness'))
})

test('values of a facet are added and taken away, and the order is asked of the server', async () => {
  const asked = serve()
  openApp('/datasets/pets?model=pets-cnn@1&order=-loss')
  const last = (list: URLSearchParams[]) => list[list.length - 1]
  await waitFor(() => expect(last(asked.samples)?.get('order')).toBe('-loss'))
  expect(last(asked.samples)?.get('predicted_by')).toBe('pets-cnn@1')
  const user = userEvent.setup()
  const split = await screen.findByRole('group', { name: 'Split' })
  await user.click(within(split).getByRole('button', { name: /^pool/ }))
  await user.click(within(await screen.findByRole('group', { name: 'Split' })).getByRole('button', { name: /^train/ }))
  await waitFor(() => expect(last(asked.facets)?.getAll('split')).toEqual(['pool', 'train']))
  await user.click(within(screen.getByRole('group', { name: 'Prediction and label' })).getByRole('button', { name: /^different/ }))
  await waitFor(() => expect(last(asked.facets)?.get('correct')).toBe('false'))
  await user.click(screen.getByRole('button', { name: /^split: pool/ }))
  await waitFor(() => expect(last(asked.facets)?.getAll('split')).toEqual(['train']))
})
