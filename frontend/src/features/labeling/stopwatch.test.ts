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
