import { expect, test } from 'vitest'

import { attributeText, labelObjects, labelText, shapesText } from './labels'

const polygon = { class: 'roof', points: [[0, 0], [4, 0], [4, 4]] }
const box = { class: 'roof', box: [0, 0, 4, 4] }

test('shapes are counted and named as what they are', () => {
  expect(labelText({ boxes: [], polygons: [polygon, polygon] })).toBe('2 polygons')
  expect(labelText({ boxes: [box], polygons: [polygon] })).toBe('1 box, 1 polygon')
  expect(labelText({ boxes: [box, box] })).toBe('2 boxes')
  expect(labelText({ boxes: [] })).toBe('no objects')
  expect(shapesText(1_200, 0)).toBe('1,200 boxes')
})

test('regions to ignore are counted beside what a label says', () => {
  expect(labelText({ boxes: [], ignore: [{ box: [0, 0, 4, 4] }] })).toBe('no objects, 1 region to ignore')
})

test('the objects of a label come kind by kind with what they carry', () => {
  const label = { boxes: [{ ...box, id: '7' }], polygons: [{ ...polygon, track: 't' }], ignore: [{ box: [0, 0, 1, 1], attributes: { dense: true } }] }
  expect(labelObjects(label)).toEqual([
    { kind: 'box', class: 'roof', place: '0,0,4,4', id: '7' },
    { kind: 'polygon', class: 'roof', place: '0,0,4,0,4,4', track: 't' },
    { kind: 'ignored', class: null, place: '0,0,1,1', attributes: { dense: true } },
  ])
  expect(labelObjects({ class: 'cat' })).toEqual([])
})

test('an attribute reads as what it is', () => {
  expect([true, false, 0.5, 'left', [1, 2]].map(attributeText)).toEqual(['yes', 'no', '0.5', 'left', '1, 2'])
})
