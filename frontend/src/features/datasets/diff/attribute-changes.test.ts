import { expect, test } from 'vitest'

import { carriedChanges, carriedWords } from './attribute-changes'

const car = { class: 'car', box: [0, 0, 10, 10] }
const sign = { class: 'sign', box: [50, 50, 60, 60], attributes: { lit: true } }

test('objects with other attributes, ids or tracks are found where they stood, whatever the order', () => {
  const before = { boxes: [car, sign], polygons: [{ class: 'car', points: [[0, 0], [4, 0], [4, 4]] }] }
  const after = { boxes: [{ ...sign, attributes: { lit: false } }, { ...car, track: '3' }], polygons: before.polygons }
  const found = carriedChanges(before, after)
  expect(found.map(({ after: { class: name } }) => name)).toEqual(['sign', 'car'])
  expect(carriedWords(found)).toBe('2 objects: lit, track')
})

test('what is as it was is not among them', () => {
  expect(carriedChanges({ boxes: [car, sign] }, { boxes: [car, { ...sign, box: [1, 1, 2, 2] }] })).toEqual([])
})
