import { expect, test } from 'vitest'

import { sorted, turned } from './sorting'

test('rows without a value come last, up and down', () => {
  const rows = [2, null, 3, 1]
  expect(sorted(rows, (row) => row, false)).toEqual([1, 2, 3, null])
  expect(sorted(rows, (row) => row, true)).toEqual([3, 2, 1, null])
})

test('names with numbers count as people count', () => {
  expect(sorted(['class 10', 'class 9'], (row) => row, false)).toEqual(['class 9', 'class 10'])
})

test('a new column begins with the largest numbers, names from A, and a second click turns it', () => {
  expect(turned({ by: 'name', down: false }, 'f1')).toEqual({ by: 'f1', down: true })
  expect(turned({ by: 'f1', down: true }, 'name')).toEqual({ by: 'name', down: false })
  expect(turned({ by: 'f1', down: true }, 'f1')).toEqual({ by: 'f1', down: false })
})
