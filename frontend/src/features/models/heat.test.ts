import { expect, test } from 'vitest'

import { cellAt, cellSide, shade, strength } from './heat'

test('a cell is coloured by its share of its true class, and an empty class not at all', () => {
  const matrix = [
    [1, 3],
    [0, 0],
  ]
  expect(strength(matrix, { label: 0, predicted: 1 })).toBe(0.75)
  expect(strength(matrix, { label: 1, predicted: 0 })).toBe(0)
})

test('one error in a hundred is seen', () => {
  expect(shade(0)).toBe(0)
  expect(shade(0.01)).toBe(5)
  expect(shade(1)).toBe(50)
})

test('a place in the picture is a cell, with the true class downwards', () => {
  expect(cellAt(25, 5, 10, 3)).toEqual({ label: 0, predicted: 2 })
  expect(cellAt(30, 5, 10, 3)).toBeNull()
  expect(cellAt(5, -1, 10, 3)).toBeNull()
})

test('cells of many classes stay large enough to be pointed at', () => {
  expect(cellSide(440, 20)).toBe(22)
  expect(cellSide(440, 200)).toBe(4)
})
