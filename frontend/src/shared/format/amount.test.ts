import { expect, test } from 'vitest'

import { percentFault } from './amount'

test('a percentage is told its bounds in per cent', () => {
  expect(percentFault('150', 99)).toBe('Type a percentage from 0 to 99.')
  expect(percentFault('some', 100)).toBe('Type a percentage from 0 to 100.')
  expect([percentFault('99', 99), percentFault('', 99), percentFault('0', 99)]).toEqual([null, null, null])
})
