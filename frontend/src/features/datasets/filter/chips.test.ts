import { expect, test } from 'vitest'

import { chipsOf } from './chips'

test('each value of a facet has its chip, which takes that one away', () => {
  const search = { v: 3, split: ['pool' as const, 'train' as const], label: ['a, b'], labelled: false, q: 'cam', ids: '3,4' }
  const chips = chipsOf(search)
  expect(chips.map(({ words }) => words)).toEqual(['split: pool', 'split: train', 'label: a, b', 'not labelled', 'key has “cam”', '2 chosen samples'])
  expect(chips[0]?.drop(search)).toEqual({ ...search, split: ['train'] })
  expect(chips[3]?.drop(search)).toEqual({ v: 3, split: ['pool', 'train'], label: ['a, b'], q: 'cam', ids: '3,4' })
})
