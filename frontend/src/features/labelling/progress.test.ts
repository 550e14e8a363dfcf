import { expect, test } from 'vitest'

import type { AnswerReceipt, PageResult, UndoneTask } from '../../shared/api/types'
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
