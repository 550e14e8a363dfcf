import { expect, test } from 'vitest'

import { outcomesSearch } from './outcomes-search'

test('an address that makes sense is read', () => {
  expect(outcomesSearch({ kind: 'cell', label: '-1', predicted: '7', threshold: '0.45', slice: 'night' })).toEqual({ kind: 'cell', label: '-1', predicted: '7', threshold: 0.45, slice: 'night' })
  expect(outcomesSearch({ kind: 'missed', class: 'stop', order: 'class', threshold: '0' })).toEqual({ kind: 'missed', class: 'stop', order: 'class', threshold: 0 })
})

test('what makes no sense is left out', () => {
  expect(outcomesSearch({})).toEqual({ kind: 'wrong' })
  expect(outcomesSearch({ kind: 'cell', label: 'stop', threshold: '7' })).toEqual({ kind: 'wrong' })
  expect(outcomesSearch({ kind: 'wrong', label: 'stop', predicted: 'yield', threshold: '', order: 'key' })).toEqual({ kind: 'wrong' })
})
