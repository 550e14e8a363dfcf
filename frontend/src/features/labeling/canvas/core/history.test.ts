import { expect, test } from 'vitest'

import { begin, endGesture, record, redo, undo } from './history'

test('what is undone can be redone, until something else is done', () => {
  const done = record(record(begin('a'), 'b'), 'c')
  expect(undo(done).present).toBe('b')
  expect(undo(undo(done)).present).toBe('a')
  expect(redo(undo(done))).toMatchObject({ past: ['a', 'b'], present: 'c', future: [] })
  expect(record(undo(done), 'd').future).toEqual([])
})

test('steps of one gesture are one entry, and the next gesture of that name is another', () => {
  const nudged = record(record(record(begin(0), 1, 'nudge'), 2, 'nudge'), 3, 'nudge')
  expect(undo(nudged).present).toBe(0)
  expect(undo(record(endGesture(nudged), 4, 'nudge')).present).toBe(3)
})

test('before the first and after the last there is nothing', () => {
  expect(undo(begin(1)).present).toBe(1)
  expect(redo(begin(1)).present).toBe(1)
})
