import { expect, test } from 'vitest'

import { barsOf, cutPlace } from './bars'

const histogram = { edges: [0, 0.25, 0.5, 0.75, 1], counts: [40, 20, 10, 0], cut: 0.6, score: 'margin', live: false, picked: [] }

test('bars stand to the tallest by logarithm, and those past the cut are told apart', () => {
  const heights = barsOf(histogram).map(({ height }) => height)
  expect(heights[0]).toBe(1)
  expect(heights[2]).toBeCloseTo(Math.log(11) / Math.log(41))
  expect(heights[3]).toBe(0)
  expect(barsOf({ ...histogram, edges: [0, 1, 2], counts: [1_000_000, 1], cut: 1 })[1]?.height).toBeGreaterThan(0.04)
  expect(barsOf(histogram).map(({ above }) => above)).toEqual([false, false, true, true])
})

test('the cut stands where its score lies; none is drawn where there is none', () => {
  expect(cutPlace(histogram)).toBeCloseTo(0.6)
  expect(cutPlace({ ...histogram, cut: null })).toBeNull()
  expect(cutPlace({ ...histogram, edges: [1, 1], counts: [3], cut: 1 })).toBeNull()
  expect(barsOf({ ...histogram, edges: [0, 1], counts: [0], cut: null })).toEqual([{ low: 0, high: 1, count: 0, height: 0, above: false }])
})
