import { expect, test } from 'vitest'

import { Stopwatch } from './stopwatch'

test('time while the page is hidden does not count', () => {
  let now = 0
  const watch = new Stopwatch(() => now)
  watch.restart(false)
  now = 3_000
  watch.pause()
  now = 60_000
  watch.resume()
  now = 61_000
  expect(watch.seconds()).toBe(4)
})

test('one task counts two minutes at most', () => {
  let now = 0
  const watch = new Stopwatch(() => now)
  watch.restart(false)
  now = 3_600_000
  expect(watch.seconds()).toBe(120)
})

test('laps are the seconds of each question, however long all of them take', () => {
  let now = 0
  const watch = new Stopwatch(() => now, 120)
  watch.restart(false)
  const laps = [90_000, 40_000, 500_000].map((milliseconds) => {
    now += milliseconds
    return watch.lap()
  })
  expect(laps).toEqual([90, 40, 120])
  expect(watch.seconds()).toBe(120)
  watch.restart(false)
  now += 1_500
  expect(watch.lap()).toBe(1.5)
})
