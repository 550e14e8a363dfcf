import { expect, test } from 'vitest'

import { checks, tensorrt, variants } from './report'

test('a report of words only is as sure as its words', () => {
  expect(tensorrt({ tensorrt: 'not verified' })).toMatchObject({ words: 'not verified', tone: 'plain', engines: [] })
})

test('no report is not a proof', () => {
  expect(tensorrt({})).toMatchObject({ words: 'not verified', tone: 'plain' })
  expect(checks({})).toEqual([])
  expect(variants({}, {}, 'accuracy')).toEqual([])
})

test('a verified file names its builder and its engines', () => {
  const found = tensorrt({
    tensorrt: { status: 'verified', builder: 'tensorrt_rtx', version: '1.7', engines: [{ architecture: 'SM80', built: true, seconds: 3, bytes: 9 }] },
  })
  expect(found).toEqual({
    words: 'verified',
    tone: 'ok',
    reason: null,
    version: 'tensorrt_rtx 1.7',
    engines: [{ architecture: 'SM80', built: true, seconds: 3, bytes: 9 }],
  })
})

test('a check counts as passed only when it says so', () => {
  expect(checks({ checks: [{ name: 'types', problems: ['double'] }] })).toEqual([{ name: 'types', passed: false, problems: ['double'] }])
})

test('the accuracy of a variant is found in the metrics where the report has none', () => {
  const [int8] = variants({ variants: { int8: { ready: true, agreement: { top1: 0.99, overlap_at: { '10': 0.9 } } } } }, { accuracy: 0.9, variants: { int8: { accuracy: 0.88 } } }, 'accuracy')
  expect(int8).toMatchObject({ name: 'int8', value: 0.88, top1: 0.99, overlap: [{ k: '10', share: 0.9 }] })
  expect(int8?.drop).toBeCloseTo(0.02)
})
