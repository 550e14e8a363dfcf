import { expect, test } from 'vitest'

import { gridSearch, without } from './grid-search'

test('a class called 7 stays a text', () => {
  expect(gridSearch({ v: '3', split: 'pool', label: '7', labelled: 'false', q: 'a b', slice: 'night' })).toEqual({
    v: 3,
    split: 'pool',
    label: '7',
    labelled: false,
    q: 'a b',
    slice: 'night',
  })
})

test('what makes no sense is left out', () => {
  expect(gridSearch({ v: 'x', labelled: 'perhaps', split: '', other: '1' })).toEqual({})
})

test('a filter is taken away and the rest stays', () => {
  expect(without({ v: 2, split: 'pool' }, 'split')).toEqual({ v: 2 })
})
