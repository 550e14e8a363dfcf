import { expect, test } from 'vitest'

import { both, quoted, textOf } from './text'

test('what the grid shows becomes one filter', () => {
  expect(textOf({ v: 3, split: ['train', 'val'], label: ['traffic light'], labelled: false, q: 'cam', slice: 'night', filter: 'boxes >= 2 or ignored' })).toBe(
    'slice = night and split in (train, val) and class = "traffic light" and not labelled and key contains cam and (boxes >= 2 or ignored)',
  )
  expect(textOf({ ids: '3,4' })).toBe('samples in (3, 4)')
  expect(textOf({ v: 2 })).toBe('')
})

test('words of the grammar and texts with spaces are quoted', () => {
  expect(['car', 'and', 'a b', 'say "x"', 'n/*.png'].map(quoted)).toEqual(['car', '"and"', '"a b"', '"say \\"x\\""', 'n/*.png'])
})

test('a filter is put beside another without changing what it says', () => {
  expect(both('a or b', 'c')).toBe('(a or b) and c')
  expect(both('', 'c')).toBe('c')
})
