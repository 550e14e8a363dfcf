import { expect, test } from 'vitest'

import { chipText } from '../paint/chips'
import { ignoredOf, ofLabel, ofSuggestion, toLabel } from './label'
import { reaches } from './shapes'

const size = { width: 100, height: 80 }

test('a label read and written again is the same', () => {
  const label = {
    boxes: [{ class: 'nut', box: [1, 2, 30.5, 40] }],
    polygons: [{ class: 'bolt', points: [[0, 0], [50, 0], [50, 70]] }],
  }
  expect(toLabel(ofLabel(label, size))).toEqual(label)
  expect(toLabel(ofLabel({ boxes: [] }, size))).toEqual({ boxes: [] })
})

test('what is only suggested is no label, and lies in the image even where the model looked past its edge', () => {
  const [shape, ...others] = ofSuggestion({ boxes: [{ class: 'nut', box: [-5, 10, 120, 60], score: 0.54 }], model: 'm@1' }, size)
  expect(shape).toMatchObject({ corners: [0, 10, 100, 60], score: 0.54, confirmed: false })
  expect(others).toEqual([])
  expect(toLabel(ofSuggestion({ boxes: [{ class: 'nut', box: [1, 1, 9, 9], score: 1 }] }, size))).toEqual({ boxes: [] })
})

test.each([null, undefined, {}, { boxes: 'x' }, { boxes: [{ class: 'nut', box: [1, 2, 3] }] }, { boxes: [{ box: [1, 2, 3, 4] }] }, { class: 'nut' }])(
  '%j has no shapes',
  (value) => expect(ofSuggestion(value, size)).toEqual([]),
)

test('what an object carries, and the regions to ignore, are in the label again', () => {
  const label = {
    boxes: [
      { class: 'nut', box: [1, 2, 30.5, 40], attributes: { truncated: 0.5, size: [1, 2, 3] }, id: '7', track: 't' },
      { class: 'nut', box: [1, 2, 30.5, 44] },
    ],
    polygons: [{ class: 'bolt', points: [[0, 0], [50, 0], [50, 70]], attributes: { rusty: true } }],
    ignore: [{ class: 'DontCare', box: [0, 0, 9, 9] }],
  }
  expect(toLabel(ofLabel(label, size), ignoredOf(label))).toEqual(label)
  expect(toLabel(ofLabel({ boxes: [] }, size), ignoredOf({ boxes: [] }))).toEqual({ boxes: [] })
})

test('what a label that is asked about has no score for is shown without one, and counts as sure', () => {
  const [shape] = ofSuggestion({ boxes: [{ class: 'nut', box: [10, 10, 50, 50] }], model: 'nuts v3' }, size)
  if (!shape) throw new Error('a shape is suggested')
  expect(shape).toMatchObject({ score: null, suggested: true, confirmed: false })
  expect(chipText(shape)).toBe('nut?')
  expect(reaches(shape, 1)).toBe(true)
})
