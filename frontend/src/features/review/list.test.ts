import { expect, test } from 'vitest'

import { merged, nextOpen } from './list'
import type { Review } from './types'

const review = (id: number, state = 'open') => ({ id, state }) as unknown as Review

test('the next is the first undecided one behind, from the start again at the end', () => {
  const reviews = [review(1), review(2, 'done'), review(3), review(4, 'done')]
  const isDecided = ({ state }: Review) => state === 'done'
  expect(nextOpen(reviews, isDecided)?.id).toBe(1)
  expect(nextOpen(reviews, isDecided, 1)?.id).toBe(3)
  expect(nextOpen(reviews, isDecided, 3)?.id).toBe(1)
  expect(nextOpen(reviews, () => true, 1)).toBeUndefined()
})

test('what is decided stays in its place when the open ones are read again, and new ones come behind', () => {
  expect(merged([review(1, 'done'), review(2)], [review(2, 'done'), review(5)])).toEqual([review(1, 'done'), review(2, 'done'), review(5)])
})
