import { expect, test } from 'vitest'

import { fits } from './fits'

test('every word must stand somewhere, in any order and case', () => {
  expect(fits(['Mining', 7, 'digits', null], 'DIGITS mining')).toBe(true)
  expect(fits(['Mining', 7, 'digits'], 'digits cats')).toBe(false)
})

test('no search fits everything', () => {
  expect([undefined, '', '  '].map((q) => fits([], q))).toEqual([true, true, true])
})
