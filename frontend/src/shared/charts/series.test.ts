import { expect, test } from 'vitest'

import { labelsSaved, spread, toColumns, type Series, wholeSteps } from './series'

function series(name: string, points: [number, number][]): Series {
  return {
    id: name,
    name,
    words: name,
    points: points.map(([labels, value]) => ({ labels, value, low: null, high: null })),
  }
}

test('lines measured at other numbers of labels share one x column with gaps', () => {
  const { labels, columns } = toColumns([series('m', [[100, 0.8], [300, 0.9]]), series('r', [[100, 0.8], [200, 0.85]])])
  expect(labels).toEqual([100, 200, 300])
  expect(columns[0]).toEqual([0.8, null, 0.9])
  expect(columns[3]).toEqual([0.8, 0.85, null])
})

test('labels at line ends keep their distance and their order', () => {
  expect(spread([100, 102, 50], 14)).toEqual([100, 114, 50])
})

test('labels saved is where mining first reaches what random ends with', () => {
  const mined = series('margin', [[100, 0.8], [300, 0.93], [600, 0.96]])
  const random = series('random', [[100, 0.8], [300, 0.88], [600, 0.92]])
  expect(labelsSaved([mined, random])).toMatchObject({ best: 'margin', labels: 300, otherLabels: 600 })
})

test('nothing is claimed when no line is ahead', () => {
  expect(labelsSaved([series('a', [[100, 0.8]]), series('b', [[100, 0.8]])])).toBeNull()
})

test('an axis that counts has no tick between two whole numbers', () => {
  expect(wholeSteps.slice(0, 5)).toEqual([1, 2, 5, 10, 20])
  expect(wholeSteps.every(Number.isInteger)).toBe(true)
})
