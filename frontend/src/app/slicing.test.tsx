// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { Slice } from '../shared/api/types'
import { aDataset, aSchema } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

const me = sessionOf('owner').user.username
const aSlice = { name: 'dark', filter: { split: 'test' }, text: 'split = test', created_by: me, created: '2026-11-01T12:00:00Z', changed: '2026-11-01T12:00:00Z' } as Slice

/** The dataset pets with whatever slices there are, and which of them its samples were asked for. */
function serveSlices(slices: () => Slice[]): (string | null)[] {
  const asked: (string | null)[] = []
  answer('get', '/datasets/pets', aDataset({ head: 2 }))
  for (const name of ['versions', 'near-duplicates'] as const) list(`/datasets/pets/${name}`, [])
  answer('get', '/datasets/pets/schema', { ...aSchema(['cat', 'dog']), history: [] })
  answer('get', '/datasets/pets/filters', { fields: [], objects: [], object_fields: [] })
  receive('get', '/datasets/pets/slices', () => HttpResponse.json({ results: slices(), next: null }))
  receive('get', '/datasets/pets/slices/:name', ({ params }) => {
    const found = slices().find(({ name }) => name === params.name)
    return found ? HttpResponse.json(found) : refusal({ status: 404, detail: 'There is no such slice.' })
  })
  receive('get', '/datasets/pets/versions/:number/facets', () => HttpResponse.json({ total: 0, split: {}, label: {}, labelled: { true: 0, false: 0 } }))
  receive('get', '/datasets/pets/versions/:number/samples', ({ url }) => {
    asked.push(url.searchParams.get('slice'))
    return HttpResponse.json({ results: [], total: 0, offset: 0, next: null })
  })
  return asked
}

test('a slice that is renamed is not asked for by its old name once more', async () => {
  let slice = aSlice
  const asked = serveSlices(() => [slice])
  receive('put', '/datasets/pets/slices/dark', () => {
    asked.length = 0
    slice = { ...slice, name: 'night' }
    return HttpResponse.json(slice)
  })
  openApp('/datasets/pets?slice=dark')
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Edit slice…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.clear(dialog.getByRole('textbox', { name: 'Name' }))
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'night')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(asked).toContain('night'))
  expect(asked).not.toContain('dark')
})

test('a slice is deleted once somebody says so twice', async () => {
  let slices = [aSlice]
  serveSlices(() => slices)
  const gone = receive('delete', '/datasets/pets/slices/dark', () => {
    slices = []
    return new HttpResponse(null, { status: 204 })
  })
  openApp('/datasets/pets?slice=dark')
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Edit slice…' }))
  await user.click(await screen.findByRole('button', { name: 'Delete…' }))
  await user.click(within(await screen.findByRole('dialog', { name: 'Delete the slice dark?' })).getByRole('button', { name: 'Keep it' }))
  await user.click(await screen.findByRole('button', { name: 'Delete…' }))
  expect(gone).toHaveLength(0)
  await user.click(await screen.findByRole('button', { name: 'Delete this slice' }))
  await screen.findByText('The slice dark is deleted')
  expect(gone).toHaveLength(1)
})

test('why a filter is refused is said once', async () => {
  serveSlices(() => [])
  const no = () => refusal({ status: 400, detail: 'That cannot be.', errors: { where: ['unknown field "lihgt"'] } })
  receive('get', '/datasets/pets/versions/:number/facets', no)
  receive('get', '/datasets/pets/versions/:number/samples', no)
  openApp('/datasets/pets?where=lihgt%20%3D%201')
  expect(await screen.findByText('No counts for this filter.')).toBeTruthy()
  expect(await screen.findByRole('heading', { name: 'The samples could not be loaded' })).toBeTruthy()
  expect(screen.getAllByText(/unknown field/i)).toHaveLength(1)
})
