// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'

import { ListFrame } from './list-frame'
import type { Reading } from './pages'

afterEach(cleanup)

const answered = { error: null, retry: () => undefined, more: null, isEarlier: false }
let search = {}
vi.mock('@tanstack/react-router', () => ({ useSearch: () => search, useNavigate: () => () => undefined }))

function page(reading: Reading<string>) {
  return (
    <ListFrame title="Models" noun="models" reading={reading} empty={<p>No model exists yet.</p>} table={<table aria-label="All models" />}>
      <div role="dialog" aria-label="New model" />
    </ListFrame>
  )
}

test.each<[string, Reading<string>, object, boolean]>([
  ['the list is empty', { ...answered, rows: [] }, {}, false],
  ['nothing fits the search', { ...answered, rows: [] }, { q: 'b' }, false],
  ['the list is being read', { ...answered, rows: undefined }, {}, false],
  ['the list could not be read', { ...answered, rows: undefined, error: new Error('no') }, {}, false],
  ['there are rows', { ...answered, rows: ['a'] }, {}, true],
])('a dialog of the page shows while %s', (_, reading, address, hasTable) => {
  search = address
  render(page(reading))
  expect(screen.getByRole('dialog', { name: 'New model' })).toBeTruthy()
  expect(screen.queryByRole('table') !== null).toBe(hasTable)
  expect(screen.queryByText('No models match the search.') !== null).toBe('q' in address)
})

test('a list that goes on says how much of it is shown, and reads the rest on demand', async () => {
  const read = vi.fn()
  search = {}
  render(page({ ...answered, rows: ['a', 'b'], more: { busy: false, failed: false, read } }))
  expect(screen.getByRole('status').textContent).toBe('The first 2 are shown.')
  await userEvent.click(screen.getByRole('button', { name: 'Show more models' }))
  expect(read).toHaveBeenCalledOnce()
})
