// @vitest-environment jsdom

import { expect, test } from 'vitest'

import { pollInterval } from './interval'
import { grown } from './use-live'

test('running asks every second, queued every three, finished never', () => {
  expect(pollInterval('running', 0, false)).toBe(1_000)
  expect(pollInterval('queued', 0, false)).toBe(3_000)
  expect(pollInterval('finished', 3, true)).toBe(false)
})

test('a hidden tab asks five times less often, and failures back off up to a minute', () => {
  expect(pollInterval('running', 0, true)).toBe(5_000)
  expect(pollInterval('running', 3, false)).toBe(8_000)
  expect(pollInterval('queued', 12, false)).toBe(60_000)
})

test('lines that two overlapping polls both brought appear once', () => {
  const line = (seq: number) => ({ seq, time: '', level: 'info', message: String(seq) })
  const job = { points: [], log: [line(1), line(2)] } as unknown as Parameters<typeof grown>[1]
  expect(grown(job, { ...job, log: [line(2), line(3)] }).log.map(({ seq }) => seq)).toEqual([1, 2, 3])
})
