import { expect, test } from 'vitest'

import { deltaWords, figureWords, lossOf, metricShort, spanWords } from './metric-words'

test('shares are said in percent, their changes in points with a sign', () => {
  expect(figureWords('accuracy', 0.9312)).toBe('93.1 %')
  expect([0.0141, -0.0141, 0, null].map((delta) => deltaWords('accuracy', delta))).toEqual(['+1.4', '−1.4', '0.0', '–'])
  expect(deltaWords('accuracy', -0.00001)).toBe('0.0')
  expect(spanWords('f1', [-0.02, 0.03])).toBe('−2.0 to +3.0')
  expect(spanWords('f1', null)).toBeNull()
})

test('a loss and costs have their own units', () => {
  expect([figureWords('loss', 0.21234), deltaWords('loss', -0.01)]).toEqual(['0.212', '−0.010'])
  expect([figureWords('size_bytes', 48_200_000), deltaWords('size_bytes', 500, 1_000)]).toEqual(['48.2 MB', '+50.0 %'])
  expect(deltaWords('latency_p50_ms', 1, 0)).toBe('–')
})

test('a figure in a sentence is as short as people say it', () => {
  expect(['accuracy', 'map', 'own_figure'].map(metricShort)).toEqual(['accuracy', 'mAP', 'own figure'])
})

test('only what got worse is a loss, and only shares are set beside each other', () => {
  const delta = -0.25
  expect([lossOf({ name: 'accuracy', delta }), lossOf({ name: 'accuracy', delta: 0.25 })]).toEqual([0.25, 0])
  expect([lossOf({ name: 'ece', delta }), lossOf({ name: 'ece', delta: 0.25 })]).toEqual([0, 0.25])
  expect([lossOf({ name: 'loss', delta: 3 }), lossOf({ name: 'accuracy', delta: null })]).toEqual([0, 0])
})
