import { expect, test } from 'vitest'

import { between, middle, nudged } from './parts'

const size = { width: 100, height: 60 }

test('the middle half is where a part begins, one pixel at least', () => {
  expect(middle(size)).toEqual({ x: 25, y: 15, width: 50, height: 30 })
  expect(middle({ width: 1, height: 1 })).toEqual({ x: 0, y: 0, width: 1, height: 1 })
})

test('a drawn part has whole pixels, in whichever direction it was drawn, and ends with the picture', () => {
  expect(between([10.4, 50.9], [2.2, 20.1], size)).toEqual({ x: 2, y: 20, width: 9, height: 31 })
  expect(between([-20, -5], [500, 500], size)).toEqual({ x: 0, y: 0, ...size })
  expect(between([300, 300], [400, 400], size)).toEqual({ x: 99, y: 59, width: 1, height: 1 })
})

test('arrows move a part, with Shift they change its size, never beyond the picture', () => {
  const part = { x: 90, y: 0, width: 10, height: 3 }
  expect(nudged(part, 'ArrowRight', { ...size, size: false })).toEqual(part)
  expect(nudged(part, 'ArrowDown', { ...size, size: false })).toEqual({ ...part, y: 3 })
  expect(nudged(part, 'ArrowLeft', { ...size, size: true })).toEqual({ ...part, width: 5 })
  expect(nudged(part, 'ArrowUp', { ...size, size: true })).toEqual({ ...part, height: 1 })
  expect(nudged(part, 'a', { ...size, size: false })).toBeNull()
})
