import { expect, test } from 'vitest'

import { confusedPairs, confusion } from './confusion'
import { calibration, classRows, figure, sliceRows, worstExamples } from './evaluation'

const classes = ['2', '10', 'cat']

test('the accuracy has the interval that every version has had', () => {
  expect(figure({ accuracy: 0.9, accuracy_low: 0.8, accuracy_high: 0.95 }, 'accuracy')).toEqual({ value: 0.9, interval: [0.8, 0.95] })
  expect(figure({ accuracy: 0.9, accuracy_interval: [0.7, 1] }, 'accuracy')).toEqual({ value: 0.9, interval: [0.7, 1] })
})

test('an older version without newer figures has none, not zeros', () => {
  expect(figure({}, 'accuracy')).toEqual({ value: null, interval: null })
  expect(figure({ loss: 0.3 }, 'loss')).toEqual({ value: 0.3, interval: null })
  expect(figure({ loss: Number.NaN, intervals: { loss: [1] } }, 'loss')).toEqual({ value: null, interval: null })
  expect(classRows({}, classes, ['recall'])).toEqual([])
  expect(sliceRows(undefined, ['accuracy'])).toEqual([])
  expect(confusion({}, classes)).toBeNull()
  expect(calibration({ calibration: null })).toBeNull()
  expect(worstExamples({})).toEqual([])
})

test('classes keep their order, which JSON does not keep', () => {
  const per_class = { cat: { support: 1, recall: null }, '2': { support: 2, recall: 0.5, intervals: { recall: [0, 1] } } }
  const rows = classRows({ per_class, calibration: { thresholds: { cat: 0.3 } } }, classes, ['recall'])
  expect(rows.map(({ name }) => name)).toEqual(['2', 'cat'])
  expect(rows[0]?.figures.recall).toEqual({ value: 0.5, interval: [0, 1] })
  expect(rows[1]?.figures.recall?.value).toBeNull()
  expect(rows.map(({ threshold }) => threshold)).toEqual([null, 0.3])
})

test('a slice that was not computed says why', () => {
  const [night, rain] = sliceRows({ night: { samples: 4, accuracy: 0.5, macro_f1: 0.4 }, rain: { not_computed: 'nobody is in it' } }, ['accuracy'])
  expect(night).toMatchObject({ name: 'night', samples: 4, missing: null })
  expect(rain).toMatchObject({ name: 'rain', samples: null, missing: 'nobody is in it' })
})

test('a matrix of other classes is none', () => {
  const matrix = [
    [3, 0, 1],
    [0, 4, 0],
    [2, 0, 5],
  ]
  expect(confusion({ confusion: matrix }, classes)).toEqual(matrix)
  expect(confusion({ confusion: matrix }, ['2', '10'])).toBeNull()
})

test('the pairs most often confused are read, or counted from the matrix', () => {
  expect(confusedPairs({ confused: [['2', 'cat', 7]] }, classes)).toEqual([{ label: '2', predicted: 'cat', samples: 7 }])
  const matrix = [
    [3, 0, 1],
    [0, 4, 0],
    [2, 0, 5],
  ]
  expect(confusedPairs({ confusion: matrix }, classes)).toEqual([
    { label: 'cat', predicted: '2', samples: 2 },
    { label: '2', predicted: 'cat', samples: 1 },
  ])
})
