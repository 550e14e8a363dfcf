import { expect, test } from 'vitest'

import type { Queue } from '../../shared/api/types'
import { answeredIn, freeIn, leftIn } from '../../shared/queues/left'
import { secondsLeft, toLabel } from './order'

const queue = (name: string, change: Partial<Queue> = {}) =>
  ({ name, state: 'open', priority: 'normal', due: null, for_me: true, counts: { total: 10, todo: 6, leased: 0, done: 3, skipped: 1 }, mine: { today: 0, total: 0, rate_per_hour: 0, waiting: 0, held: 0, reviews: 0 }, ...change }) as Queue

test('what one worked in today comes first, then the fullest, and nothing that is done', () => {
  const full = { total: 50, todo: 50, leased: 0, done: 0, skipped: 0 }
  const done = { total: 5, todo: 0, leased: 0, done: 5, skipped: 0 }
  const mine = { today: 4, total: 4, rate_per_hour: 0, waiting: 0, held: 0, reviews: 0 }
  const queues = [queue('a'), queue('full', { counts: full }), queue('mine', { mine }), queue('done', { counts: done }), queue('shut', { state: 'committed' })]
  expect(toLabel(queues).map(({ name }) => name)).toEqual(['mine', 'full', 'a'])
})

test('what is urgent comes before what one worked in, and what is for others does not come', () => {
  const mine = { today: 4, total: 4, rate_per_hour: 0, waiting: 0, held: 0, reviews: 0 }
  const queues = [queue('mine', { mine }), queue('due', { due: '2026-12-01T00:00:00Z' }), queue('high', { priority: 'high' }), queue('theirs', { for_me: false, priority: 'high' })]
  expect(toLabel(queues).map(({ name }) => name)).toEqual(['high', 'due', 'mine'])
})

test('the time left is told at one’s own pace, or not at all', () => {
  expect(leftIn(queue('a'))).toBe(6)
  expect(leftIn(queue('a', { mine: { today: 4, total: 4, rate_per_hour: 0, waiting: 4, held: 0, reviews: 0 } }))).toBe(2)
  expect(secondsLeft(queue('a'))).toBeNull()
  expect(secondsLeft(queue('a', { mine: { today: 1, total: 1, rate_per_hour: 360, waiting: 0, held: 0, reviews: 0 } }))).toBe(60)
})

test('what is counted is what this person can still do', () => {
  const counts = { total: 26, todo: 23, leased: 3, done: 0, skipped: 0 }
  const mine = { today: 0, total: 0, rate_per_hour: 0, waiting: 0, held: 3, reviews: 0 }
  const fresh = queue('fresh', { counts, mine })
  const mostlyMine = queue('mostly mine', { counts, mine: { ...mine, today: 23, total: 23, waiting: 23 } })
  const through = queue('through', { counts, mine: { ...mine, total: 26, waiting: 26, held: 0 } })
  expect([fresh, mostlyMine, through].map(leftIn)).toEqual([26, 3, 0])
  expect([fresh, mostlyMine, through].map(freeIn)).toEqual([23, 0, 0])
  expect([fresh, mostlyMine, through].map(answeredIn)).toEqual([0, 23, 26])
  expect(toLabel([mostlyMine, through, fresh]).map(({ name }) => name)).toEqual(['fresh', 'mostly mine'])
})
