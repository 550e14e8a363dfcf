// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { ListFrame, type Reading } from './list-frame'

afterEach(cleanup)

const answered = { error: null, retry: () => undefined, older: null }

function page(reading: Reading<string>, shown: readonly string[]) {
  return (
    <ListFrame title="Models" noun="models" reading={reading} shown={shown} empty={<p>No model exists yet.</p>} table={<table aria-label="All models" />}>
      <div role="dialog" aria-label="New model" />
    </ListFrame>
  )
}

test.each<[string, Reading<string>, readonly string[]]>([
  ['the list is empty', { ...answered, rows: [] }, []],
  ['nothing fits the search', { ...answered, rows: ['a'] }, []],
  ['the list is being read', { ...answered, rows: undefined }, []],
  ['the list could not be read', { ...answered, rows: undefined, error: new Error('no') }, []],
  ['there are rows', { ...answered, rows: ['a'] }, ['a']],
])('a dialog of the page shows while %s', (_, reading, shown) => {
  render(page(reading, shown))
  expect(screen.getByRole('dialog', { name: 'New model' })).toBeTruthy()
  expect(screen.queryByRole('table') !== null).toBe(shown.length > 0)
})
