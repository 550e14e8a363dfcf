import { expect, test } from 'vitest'

import { leftOutWords } from './left-out'

test('what is left out is told with its number, and nothing where there is nothing to tell', () => {
  const words = (number: unknown) => leftOutWords(number, 'sample of the pool', 'samples of the pool')
  expect(words(7)).toBe('7 samples of the pool left out: near-duplicates of test images.')
  expect(words(1)).toBe('1 sample of the pool left out: a near-duplicate of test images.')
  expect([words(0), words(null), words(undefined)]).toEqual([null, null, null])
})
