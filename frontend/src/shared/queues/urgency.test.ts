import { expect, test } from 'vitest'

import { byUrgency, dueWords, isoTime, localTime } from './urgency'

const now = Date.parse('2026-12-01T12:00:00Z')

test('priority comes before the time that a queue is due, and no time comes last', () => {
  const queues = [
    { name: 'someday', priority: 'normal', due: null },
    { name: 'soon', priority: 'normal', due: '2026-12-02T00:00:00Z' },
    { name: 'low', priority: 'low', due: '2026-12-01T00:00:00Z' },
    { name: 'high', priority: 'high', due: null },
    { name: 'sooner', priority: 'normal', due: '2026-12-01T13:00:00Z' },
  ] as const
  expect([...queues].sort(byUrgency).map(({ name }) => name)).toEqual(['high', 'sooner', 'soon', 'someday', 'low'])
})

test('what is due says in how long, and what is late by how much', () => {
  expect(dueWords(null, now)).toBeNull()
  expect(dueWords('2026-12-01T13:00:00Z', now)).toEqual({ words: 'due in 1 h 00 min', late: false })
  expect(dueWords('2026-12-05T11:00:00Z', now)).toEqual({ words: 'due in 3 days', late: false })
  expect(dueWords('2026-12-01T11:57:00Z', now)).toEqual({ words: 'overdue by 3 min 00 s', late: true })
})

test('a field’s time and the server’s are the same moment', () => {
  expect(isoTime(localTime('2026-12-01T13:05:00Z'))).toBe('2026-12-01T13:05:00.000Z')
  expect([localTime(null), isoTime('')]).toEqual(['', null])
})
