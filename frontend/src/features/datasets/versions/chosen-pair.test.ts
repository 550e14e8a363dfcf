import { expect, test } from 'vitest'

import { withChosen } from './chosen-pair'

test('a third tick takes the place of the first, a second on the same takes it away', () => {
  expect(withChosen([], 3)).toEqual([3])
  expect(withChosen([3], 7)).toEqual([3, 7])
  expect(withChosen([3, 7], 9)).toEqual([7, 9])
  expect(withChosen([3, 7], 3)).toEqual([7])
})
