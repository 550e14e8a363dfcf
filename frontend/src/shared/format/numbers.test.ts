import { expect, test } from 'vitest'

import { bytes, rate, signed } from './numbers'

test('differences carry their sign, and none is plain', () => {
  expect([12, -3, 0].map(signed)).toEqual(['+12', '−3', '0'])
})

test('bytes come in the unit that a person would take', () => {
  expect([0, 999, 1_500, 48_200_000, 5e9].map(bytes)).toEqual(['0 B', '999 B', '1.5 kB', '48.2 MB', '5 GB'])
})

test('what is slow is told by the minute, and never as nothing', () => {
  expect([rate(0.016), rate(2.25, 'images'), rate(1_234), rate(0)]).toEqual(['1/min', '2.3 images/s', '1,234/s', '0/s'])
})
