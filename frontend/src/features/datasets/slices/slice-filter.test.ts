import { expect, test } from 'vitest'

import { clash, filterOf, parsedFilter } from './slice-filter'

test('what the grid shows becomes a filter, with what the slice it is in says already', () => {
  expect(filterOf({ v: 3, split: 'train', label: '7', labelled: false, q: 'cam' })).toEqual({ split: 'train', class: '7', labelled: false, q: 'cam' })
  expect(filterOf({ slice: 'night', split: 'val' }, { meta: { time: 'night' } })).toEqual({ meta: { time: 'night' }, split: 'val' })
})

test('two conditions of one name do not fit into one filter', () => {
  expect(clash({ label: 'car' }, { class: ['car', 'truck'] })).toBe('class')
  expect(clash({ label: 'car' }, { split: 'train' })).toBeNull()
})

test('only a JSON object is a filter', () => {
  expect(parsedFilter('{"split": "test"}')).toEqual({ split: 'test' })
  expect(['[]', 'null', '{', '7'].map(parsedFilter)).toEqual([null, null, null, null])
})
