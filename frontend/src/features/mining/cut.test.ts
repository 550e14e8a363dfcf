import { expect, test } from 'vitest'

import { keptBy, movedCut, snapped } from './cut'

const picked = [0.9, 0.8, 0.8, 0.5, 0.4]

test('a cut keeps the picks from its score on, and no cut keeps all', () => {
  expect([null, 0.4, 0.45, 0.8, 0.95].map((cut) => keptBy(picked, cut))).toEqual([5, 5, 4, 3, 0])
})

test('a dragged cut stands on a pick, and always leaves one', () => {
  expect([0, 0.45, 0.6, 0.85, 2].map((score) => snapped(picked, score))).toEqual([null, 0.5, 0.8, 0.9, 0.9])
})

test('keys move by picks, equal scores go together, and the ends hold', () => {
  expect(movedCut(picked, null, 'ArrowRight')).toBe(0.5)
  expect(movedCut(picked, 0.5, 'ArrowRight')).toBe(0.8)
  expect(movedCut(picked, 0.8, 'ArrowLeft')).toBe(0.5)
  expect(movedCut(picked, 0.9, 'End')).toBe(0.9)
  expect(movedCut(picked, 0.9, 'Home')).toBeNull()
  expect(movedCut(picked, 0.9, 'a')).toBeUndefined()
})

test('equal scores do not hold the keys back', () => {
  expect(movedCut([0.9, 0.8, 0.8], 0.8, 'ArrowRight')).toBe(0.9)
})
