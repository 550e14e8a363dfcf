import { expect, test } from 'vitest'

import type { Backtest } from '../../shared/api/types'
import { unitsFor, unitsOf } from './units'
import { bestWords, curvesOf, points, pValue, savedWords } from './words'

const curve = (strategy: string, params = {}) => ({ strategy, params, points: [{ labels: 20, objects: null as number | null, mean: 0.5, low: 0.4, high: 0.6, n: 3 }], mean_accuracy: 0.5 })

test('the best strategy is drawn first and random last', () => {
  const backtest = { curves: [curve('random'), curve('entropy'), curve('margin')], best: { strategy: 'margin', params: {}, clear: true } } as Pick<Backtest, 'curves' | 'best'>
  expect(curvesOf(backtest).map(({ name }) => name)).toEqual(['margin', 'entropy', 'random'])
  expect(curvesOf(backtest)[0]?.points).toEqual([{ labels: 20, value: 0.5, low: 0.4, high: 0.6 }])
})

test('a list names the best only where it is clear', () => {
  const best = (clear: boolean) => bestWords({ best: { strategy: 'k_center', clear } } as Pick<Backtest, 'best'>)
  expect([best(true), best(false), bestWords({ best: null })]).toEqual(['k center', 'none clearly', '–'])
})

test('of one strategy with two settings the one that is best is drawn first', () => {
  const [random, slow, best] = [curve('random'), curve('k_center', { block: 64 }), curve('k_center', { block: 8 })]
  const backtest = { curves: [random, slow, best], best } as unknown as Pick<Backtest, 'curves' | 'best'>
  expect(curvesOf(backtest).map(({ id }) => id)).toEqual(['k_center{"block":8}', 'k_center{"block":64}', 'random{}'])
})

test('one strategy with two settings makes two lines, and one without points none', () => {
  const curves = [curve('k_center', { block: 8 }), curve('k_center', { block: 64 }), { ...curve('margin'), points: [] }]
  const drawn = curvesOf({ curves, best: null })
  expect(drawn.map(({ id }) => id)).toEqual(['k_center{"block":8}', 'k_center{"block":64}'])
  expect(drawn.map(({ words }) => words)).toEqual(['{"block":8}', '{"block":64}'])
  expect(curvesOf({ curves: [curve('k_center', { block: 8 })], best: null })[0]?.words).toBe('')
})

test('figures of the paired test are short and carry their sign', () => {
  expect([points(0.0124), points(-0.002), points(0)]).toEqual(['+1.24', '−0.20', '0.00'])
  expect([pValue(0.0004), pValue(0.0312)]).toEqual(['< 0.001', '0.031'])
  const saved = (share: number | null, atLeast = false) => savedWords({ saved: share, saved_at_least: atLeast })
  expect([saved(0.4), saved(0.4, true), saved(-0.1), saved(null)]).toEqual(['40 %', 'at least 40 %', '10 % more', '–'])
})

test('of boxes a point tells how many were drawn, or stands where they are counted', () => {
  const drawn = { ...curve('entropy'), points: [{ labels: 20, objects: 61.5, mean: 0.5, low: null, high: null, n: 3 }] }
  expect(curvesOf({ curves: [drawn], best: null }, 'boxes')[0]?.points).toEqual([{ labels: 20, value: 0.5, low: null, high: null, more: '62 boxes' }])
  expect(curvesOf({ curves: [drawn], best: null }, 'boxes', true)[0]?.points[0]?.labels).toBe(62)
})

test('a detector is measured by mAP and asks for images and boxes', () => {
  expect(unitsOf({ task: 'detection', metric: 'map' })).toEqual({ figure: 'mAP', label: 'image', labels: 'images', objects: 'boxes' })
  expect(unitsFor(undefined)).toEqual({ figure: 'accuracy', label: 'label', labels: 'labels', objects: null })
})
