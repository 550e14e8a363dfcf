import { expect, test } from 'vitest'

import type { Ring } from '../../../../shared/api/types'
import { chipText } from '../paint/chips'
import { ignoredOf, ofLabel, ofSuggestion, toLabel } from './label'
import { withFewerPoints, withMorePoints } from './input/drag'
import { area, extent, reaches } from './shapes'

const size = { width: 100, height: 80 }

test('a label read and written again is the same', () => {
  const label = {
    boxes: [{ class: 'nut', box: [1, 2, 30.5, 40] }],
    polygons: [{ class: 'bolt', points: [[0, 0], [50, 0], [50, 70]] }],
  }
  expect(toLabel(ofLabel(label, size))).toEqual(label)
  expect(toLabel(ofLabel({ boxes: [] }, size))).toEqual({ boxes: [] })
})

test('what is only suggested is not a label, and lies in the image even where the model looked past its edge', () => {
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

test('an object of several parts is one shape, and stays one through moves, points and the label', () => {
  const left: Ring = [[10, 10], [60, 10], [60, 60]]
  const right: Ring = [[100, 20], [150, 20], [150, 70], [100, 70]]
  const label = { boxes: [], polygons: [{ class: 'bolt', parts: [left, right], id: '7' }] }
  const shapes = ofLabel(label, { width: 200, height: 100 })
  expect(toLabel(shapes)).toEqual(label)
  const [shape, ...others] = shapes
  expect(others).toEqual([])
  if (shape?.kind !== 'polygon') throw new Error('a polygon')
  expect(shape.starts).toEqual([3])
  expect(extent(shape)).toEqual([10, 10, 150, 70])
  expect(area(shape)).toBe(1250 + 2500)
  const more = withMorePoints(shape, 2, { x: 30, y: 40 })
  expect(toLabel([more]).polygons?.[0]?.parts).toEqual([[...left, [30, 40]], right])
  const fewer = withFewerPoints(withFewerPoints(shape, 0), 4)
  expect(toLabel([fewer]).polygons?.[0]?.parts).toEqual([left, [[100, 20], [150, 70], [100, 70]]])
})

test('what is beyond the image is cut and not moved to its edge; what its edge divides stays one object', () => {
  const size = { width: 100, height: 100 }
  const far = { boxes: [], polygons: [{ class: 'bolt', points: [[10, 50], [200, -300], [20, 50]] }] }
  expect(ofLabel(far, size).map(extent)).toEqual([[10, 0, expect.closeTo(45.714, 2), 50]])
  const arch = [[10, 50], [10, -40], [90, -40], [90, 50], [70, 50], [70, -20], [30, -20], [30, 50]]
  const divided = ofLabel({ boxes: [], polygons: [{ class: 'bolt', points: arch }] }, size)
  expect(divided.map(area)).toEqual([2 * 20 * 50])
  expect(divided).toMatchObject([{ starts: [4] }])
  const around = [[-10, -10], [110, -10], [110, 110], [-10, 110]]
  expect(ofLabel({ boxes: [], polygons: [{ class: 'bolt', points: around }] }, size).map(extent)).toEqual([[0, 0, 100, 100]])
})
