import { expect, test } from 'vitest'

import type { AnswerReceipt, PageResult, UndoneTask } from '../../shared/api/types'
import { answeredIn } from '../../shared/queues/left'
import { isComplete, progressOf } from './progress'

const counts = { total: 10, todo: 7, leased: 0, done: 3, skipped: 0 }
const receipt = { queue: { counts, state: 'open' } } as AnswerReceipt

test('a saved answer, a page of them and an answer taken back all tell how far the queue is', () => {
  const undone = { counts: { ...counts, leased: 1, done: 2 } } as UndoneTask
  expect(progressOf({ kind: 'saved', receipt })?.counts.done).toBe(3)
  expect(progressOf({ kind: 'undone', task: undone })).toEqual({ counts: undone.counts, state: 'open' })
  const results = [{ task: 1, status: 'saved', receipt }, { task: 2, status: 'refused' }] as PageResult[]
  expect(progressOf({ kind: 'page', results })?.counts).toEqual(counts)
  expect(progressOf({ kind: 'saved', receipt: null })).toBeNull()
  expect(progressOf({ kind: 'unreachable' })).toBeNull()
})

test('a queue whose reviews are open is answered all the same', () => {
  expect(isComplete({ state: 'open', counts })).toBe(false)
  expect(isComplete({ state: 'open', counts: { ...counts, todo: 0, done: 10 } })).toBe(true)
})

test('whoever answered all of a queue that asks two people is through, though no image is done', () => {
  const mine = { today: 26, total: 26, rate_per_hour: 0, waiting: 26, held: 0, reviews: 0 }
  expect(answeredIn({ counts: { total: 26, todo: 26, leased: 0, done: 0, skipped: 0 }, mine })).toBe(26)
  expect(answeredIn({ counts: { total: 26, todo: 16, leased: 0, done: 10, skipped: 0 }, mine: { ...mine, waiting: 16 } })).toBe(26)
})
