// @vitest-environment jsdom

import { QueryClient, QueryObserver, focusManager } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'

import { poll, pollInterval } from './interval'
import { grown } from './use-live'

afterEach(() => {
  vi.useRealTimers()
  focusManager.setFocused(undefined)
})

test('running asks every second, queued every three, finished never', () => {
  expect(pollInterval('running', { failures: 0 })).toBe(1_000)
  expect(pollInterval('queued', { failures: 0 })).toBe(3_000)
  expect(pollInterval('finished', { failures: 3 })).toBe(false)
})

test('failures back off up to a minute', () => {
  expect(pollInterval('running', { failures: 3 })).toBe(8_000)
  expect(pollInterval('queued', { failures: 12 })).toBe(60_000)
})

test('what does not change, and what takes several requests, is asked for less often', () => {
  expect(pollInterval('running', { failures: 0, unchanged: 4 })).toBe(1_000)
  expect(pollInterval('running', { failures: 0, unchanged: 5 })).toBe(2_000)
  expect(pollInterval('running', { failures: 0, unchanged: 100 })).toBe(4_000)
  expect(pollInterval('queued', { failures: 0, requests: 3 })).toBe(9_000)
})

/** A query that is polled while something looks at it; `counts` is how often it asked. */
function polled(answer: () => unknown) {
  vi.useFakeTimers()
  const client = new QueryClient()
  const counts = { asked: 0 }
  const observer = new QueryObserver(client, {
    queryKey: ['polled'],
    queryFn: () => {
      counts.asked += 1
      return Promise.resolve(answer())
    },
    refetchInterval: poll(() => 'running'),
  })
  return { counts, stop: observer.subscribe(() => undefined) }
}

test('a query whose answers stay the same slows down, and one with news does not', async () => {
  const same = polled(() => ({ state: 'running' }))
  await vi.advanceTimersByTimeAsync(40_500)
  same.stop()
  expect(same.counts.asked).toBeLessThan(20)
  let seq = 0
  const news = polled(() => ({ seq: ++seq }))
  await vi.advanceTimersByTimeAsync(40_500)
  news.stop()
  expect(news.counts.asked).toBeGreaterThan(38)
})

test('a hidden tab asks nothing', async () => {
  const { counts, stop } = polled(() => ({}))
  await vi.advanceTimersByTimeAsync(2_500)
  const before = counts.asked
  focusManager.setFocused(false)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(counts.asked).toBe(before)
  focusManager.setFocused(true)
  await vi.advanceTimersByTimeAsync(1_500)
  expect(counts.asked).toBeGreaterThan(before)
  stop()
})

test('lines that two overlapping polls both brought appear once', () => {
  const line = (seq: number) => ({ seq, time: '', level: 'info', message: String(seq) })
  const job = { points: [], log: [line(1), line(2)] } as unknown as Parameters<typeof grown>[1]
  expect(grown(job, { ...job, log: [line(2), line(3)] }).log.map(({ seq }) => seq)).toEqual([1, 2, 3])
})
