// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { aDataset, aSchema } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
beforeEach(() => {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => {
    const narrow = /\(width < \d+px\)/.test(query)
    return { matches: narrow, addEventListener: () => undefined, removeEventListener: () => undefined } as unknown as MediaQueryList
  })
  const dataset = aDataset()
  answer('get', '/datasets/pets', dataset)
  for (const part of ['versions', 'slices', 'near-duplicates']) list(`/datasets/pets/${part}`, [])
  answer('get', '/datasets/pets/schema', { ...aSchema(dataset.classes), history: [] })
  answer('get', '/datasets/pets/filters', { fields: [], objects: [], object_fields: [] })
  answer('get', '/datasets/pets/versions/head/facets', { total: 4, split: { train: 4 }, label: { cat: 4 }, labelled: { true: 4, false: 0 } })
  answer('get', '/datasets/pets/versions/head/samples', { results: [], total: 4, offset: 0, next: null })
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

test('on a phone the images come first: filters and view are behind one button', async () => {
  openApp('/datasets/pets')
  expect(await screen.findByText('4 items')).toBeTruthy()
  for (const name of ['Filter', 'Tiles are drawn', 'Tile size', 'Search by key']) expect(screen.queryByLabelText(name)).toBeNull()
  expect(screen.queryByRole('complementary', { name: 'Filters' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Filters and view', expanded: false }))
  expect(screen.getByLabelText('Tile size')).toBeTruthy()
  expect(screen.getByRole('complementary', { name: 'Filters' })).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Filters and view', expanded: true }))
  expect(screen.queryByLabelText('Tile size')).toBeNull()
})

test('a filter that is refused stays in sight, with what is wrong with it', async () => {
  receive('post', '/datasets/pets/filters', () => refusal({ status: 400, detail: 'No.', errors: { filter: ['there is no field sp'] } }))
  openApp('/datasets/pets')
  await userEvent.click(await screen.findByRole('button', { name: 'Filters and view' }))
  await userEvent.type(screen.getByRole('combobox', { name: 'Filter' }), 'sp = 1{Enter}')
  expect(await screen.findByText('Nothing: the filter has a fault')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Filters and view' }))
  expect(screen.getByText(/there is no field sp/)).toBeTruthy()
})
