import { expect, test } from 'vitest'

import type { Box } from '../../../shared/format/labels'
import { boxChanges, boxWords } from './box-changes'

const car: Box = { class: 'car', box: [0, 0, 10, 10] }
const moved: Box = { class: 'car', box: [1, 0, 11, 10] }
const truck: Box = { class: 'truck', box: [0, 0, 10, 10] }
const sign: Box = { class: 'sign', box: [50, 50, 60, 60] }

test('what stays, goes and comes is told apart, whatever the order', () => {
  expect(boxChanges([car, sign], [sign, moved])).toEqual({ kept: [sign], gone: [car], come: [moved] })
})

test('a box that stands twice is matched once for each', () => {
  expect(boxChanges([car, car], [car])).toEqual({ kept: [car], gone: [car], come: [] })
})

test('the words tell a moved box from a renamed one and from a new one', () => {
  expect(boxWords(boxChanges([car, sign], [moved, sign]))).toBe('1 moved, 1 kept')
  expect(boxWords(boxChanges([car], [truck, sign]))).toBe('1 renamed, 1 new')
  expect(boxWords(boxChanges([car, sign], []))).toBe('2 gone')
  expect(boxWords(boxChanges([], []))).toBe('no boxes')
})
