import { expect, test } from 'vitest'

import { gridSearch, toggled, without } from './grid-search'

test('a class called 7 stays a text', () => {
  expect(gridSearch({ v: '3', split: 'pool', label: '7', labelled: 'false', q: 'a b', slice: 'night' })).toEqual({
    v: 3,
    split: ['pool'],
    label: ['7'],
    labelled: false,
    q: 'a b',
    slice: 'night',
  })
})

test('what makes no sense is left out', () => {
  expect(gridSearch({ v: 'x', labelled: 'perhaps', split: '', other: '1' })).toEqual({})
})

test('a filter is taken away and the rest stays', () => {
  expect(without({ v: 2, split: ['pool'] }, 'split')).toEqual({ v: 2 })
})

test('of a facet several values are read, each once, and those that make no sense are left out', () => {
  expect(gridSearch({ split: ['pool', 'train', 'pool', 'moon'], label: ['a, b', ''], tag: 'x' })).toEqual({ split: ['pool', 'train'], label: ['a, b'], tag: ['x'] })
})

test('a value of a facet is added and taken away, the last with its name', () => {
  const both = toggled({ label: ['cat'] }, 'label', 'dog')
  expect(both).toEqual({ label: ['cat', 'dog'] })
  expect(toggled(both, 'label', 'cat')).toEqual({ label: ['dog'] })
  expect(toggled({ v: 2, label: ['dog'] }, 'label', 'dog')).toEqual({ v: 2 })
})
