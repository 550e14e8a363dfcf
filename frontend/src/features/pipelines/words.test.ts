import { expect, test } from 'vitest'

import { gateWords, numberWords, stopWords, triggerWords, untilWords } from './words'

test('each trigger and each rule has its words, and none has none', () => {
  expect(triggerWords({ new_labels: 1, new_samples: 500, metric_drop: { points: 2 }, webhook: true }, 'accuracy')).toEqual([
    '1 new label',
    '500 new samples',
    'production accuracy drops by 2 points',
    'a webhook call',
  ])
  expect(stopWords({ target: { metric: 'accuracy', value: 0.99, confidence: 0.95 } }, 'accuracy')).toEqual(['accuracy is at least 99.0 %, 95 % sure'])
  expect(stopWords({ target: { value: 0.9, confidence: 0.95 } }, 'exact match')).toEqual(['exact match is at least 90.0 %, 95 % sure'])
  expect([triggerWords({}, 'accuracy'), stopWords({}, 'accuracy'), triggerWords({ webhook: false, new_labels: null }, 'accuracy')]).toEqual([[], [], []])
})

test('gates are told in words', () => {
  const told = [{ check: 'tensorrt_ready' }, { metric: 'accuracy', min_delta: -0.01 }, { metric: 'accuracy', min: 0.9, class: 'cat', confidence: 0.95 }, { metric: 'size_bytes', max: 5000, artifact: 'model.int8.onnx' }]
  expect(told.map(gateWords)).toEqual([
    'tensorrt ready',
    'accuracy: at most 0.01 below the version that serves',
    'accuracy of class cat: at least 0.9, 95 % sure',
    'size bytes of model.int8.onnx: at most 5000',
  ])
})

test('the numbers of a rule are short', () => {
  expect(numberWords({ kappa: 0.99349, rounds: 3 })).toBe('kappa 0.9935 · rounds 3')
})

test('times to come are told in the unit that fits', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const told = ['12:00:30', '13:29:00', '20:00:00'].map((time) => untilWords(`2026-11-21T${time}Z`, now))
  expect(told).toEqual(['in 1 min', 'in 89 min', 'in 8 h'])
  expect(untilWords('2026-11-25T12:00:00Z', now)).toBe('in 4 days')
  expect(untilWords('2026-11-21T11:00:00Z', now)).toBe('now')
})
