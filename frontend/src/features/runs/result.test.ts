import { expect, test } from 'vitest'

import { areAlike, extremes } from './result'

const metrics = (values: Record<string, number | null>) => ({ per_class: Object.fromEntries(Object.entries(values).map(([name, f1]) => [name, { f1 }])) })

test('the best and the worst classes are named, and none as both', () => {
  const { best, worst } = extremes(metrics({ a: 0.9, b: 0.1, c: 0.5, d: 0.7, e: 0.3, f: 0.8, g: 0.2 }), 'f1')
  expect(best.map(({ name }) => name)).toEqual(['a', 'f', 'd'])
  expect(worst.map(({ name }) => name)).toEqual(['b', 'g', 'e'])
  const three = extremes(metrics({ a: 0.9, b: 0.1, c: 0.5 }), 'f1')
  expect([three.best, three.worst].map((ones) => ones.map(({ name }) => name))).toEqual([['a'], ['b']])
})

test('classes that were not measured are left out, and so is all where nothing was', () => {
  expect(extremes(metrics({ a: 0.9, b: null, c: 0.2 }), 'f1')).toEqual({ best: [{ name: 'a', value: 0.9 }], worst: [{ name: 'c', value: 0.2 }] })
  expect(extremes({}, 'f1')).toEqual({ best: [], worst: [] })
})

test('no class is called bad where all are about as good', () => {
  const figures = (...values: number[]) => values.map((value, at) => ({ name: String(at), value }))
  expect(areAlike(figures(1), figures(1))).toBe(true)
  expect(areAlike(figures(1), figures(0.94))).toBe(false)
  expect(areAlike([], [])).toBe(false)
})
