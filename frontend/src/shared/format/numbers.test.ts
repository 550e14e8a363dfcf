import { expect, test } from 'vitest'

import { bytes, signed } from './numbers'

test('differences carry their sign, and none is plain', () => {
  expect([12, -3, 0].map(signed)).toEqual(['+12', '−3', '0'])
})

test('bytes come in the unit that a person would take', () => {
  expect([0, 999, 1_500, 48_200_000, 5e9].map(bytes)).toEqual(['0 B', '999 B', '1.5 kB', '48.2 MB', '5 GB'])
})
