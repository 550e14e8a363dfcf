import { expect, test } from 'vitest'

import { labelText, shapesText } from './labels'

const polygon = { class: 'roof', points: [[0, 0], [4, 0], [4, 4]] }
const box = { class: 'roof', box: [0, 0, 4, 4] }

test('shapes are counted and named as what they are', () => {
  expect(labelText({ boxes: [], polygons: [polygon, polygon] })).toBe('2 polygons')
  expect(labelText({ boxes: [box], polygons: [polygon] })).toBe('1 box, 1 polygon')
  expect(labelText({ boxes: [box, box] })).toBe('2 boxes')
  expect(labelText({ boxes: [] })).toBe('0 boxes')
  expect(shapesText(1_200, 0)).toBe('1,200 boxes')
})
