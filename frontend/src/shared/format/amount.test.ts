import { expect, test } from 'vitest'

import { percentFault, wholeNumber } from './amount'

test('a percentage is told its bounds in per cent', () => {
  expect(percentFault('150', 99)).toBe('Type a percentage from 0 to 99.')
  expect(percentFault('some', 100)).toBe('Type a percentage from 0 to 100.')
  expect([percentFault('99', 99), percentFault('', 99), percentFault('0', 99)]).toEqual([null, null, null])
})

test('a whole number lies within its bounds, or is none', () => {
  expect(['1', ' 50 ', '1000'].map((text) => wholeNumber(text, 1, 1000))).toEqual([1, 50, 1000])
  expect(['', '0', '1001', '2.5', 'ten'].map((text) => wholeNumber(text, 1, 1000))).toEqual([null, null, null, null, null])
})
