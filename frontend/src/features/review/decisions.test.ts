import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Decisions, type DecisionEntry, type DecisionOutcome } from './decisions'
import type { Review } from './types'

const nut = (review: number) => ({ review, value: { class: 'nut' }, reason: '', answer: null, words: `${review}: nut` })
const saved = (id: number): DecisionOutcome => ({ kind: 'saved', review: { id } as unknown as Review })

/** A server that answers what it is told to, and a shelf that outlives a page. */
function office(answers: DecisionOutcome[]) {
  const shelf: { entries: DecisionEntry[] } = { entries: [] }
  const heard: DecisionEntry[] = []
  const open = () => new Decisions(
    { load: () => shelf.entries, keep: (entries) => (shelf.entries = [...entries]) },
    (entry) => {
      heard.push(entry)
      return Promise.resolve(answers.shift() ?? saved(entry.review))
    },
  )
  return { shelf, heard, open }
}

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

test('decisions go out one by one in order and are forgotten once they are saved', async () => {
  const { heard, open, shelf } = office([])
  const session = open()
  const told: number[] = []
  session.onNews(({ id }) => told.push(id))
  session.add(nut(1))
  session.add(nut(2))
  await vi.runAllTimersAsync()
  expect(heard.map(({ review }) => review)).toEqual([1, 2])
  expect(told).toEqual([1, 2])
  expect(shelf.entries).toEqual([])
})

test('what the server did not hear is sent again under the same key, and nothing overtakes it', async () => {
  const { heard, open } = office([{ kind: 'unreachable' }, { kind: 'unreachable' }])
  const session = open()
  session.add(nut(1))
  session.add(nut(2))
  await vi.advanceTimersByTimeAsync(0)
  expect(session.snapshot()).toMatchObject({ held: 'offline', entries: [{ review: 1 }, { review: 2 }] })
  await vi.runAllTimersAsync()
  expect(heard.map(({ review }) => review)).toEqual([1, 1, 1, 2])
  expect(new Set(heard.slice(0, 3).map(({ id }) => id)).size).toBe(1)
  expect(session.snapshot()).toEqual({ held: null, entries: [], others: [] })
})

test('a refusal stays until it is dealt with and does not stop the others', async () => {
  const { open } = office([{ kind: 'refused', detail: 'bo decided it already.', review: { id: 1, state: 'done' } as Review }])
  const session = open()
  session.add(nut(1))
  session.add(nut(2))
  await vi.runAllTimersAsync()
  expect(session.snapshot().entries).toMatchObject([{ review: 1, refused: 'bo decided it already.' }])
  expect(session.withdraw(1)).toBe(true)
  expect(session.snapshot().entries).toEqual([])
})

test('what waited when the page was closed is sent at the next visit', async () => {
  const { heard, open, shelf } = office([{ kind: 'unreachable' }])
  open().add(nut(1))
  await vi.advanceTimersByTimeAsync(0)
  expect(shelf.entries).toHaveLength(1)
  const later = open()
  expect(later.withdraw(1)).toBe(false)
  await later.drain()
  expect(heard.map(({ review, id }) => [review, id])).toEqual([[1, heard[0]?.id], [1, heard[0]?.id]])
  expect(later.snapshot().entries).toEqual([])
})

test('only what has not left this computer can be withdrawn', async () => {
  const { open } = office([{ kind: 'unreachable' }])
  const session = open()
  session.add(nut(1))
  session.add(nut(2))
  await vi.advanceTimersByTimeAsync(0)
  expect(session.withdraw(1)).toBe(false)
  expect(session.withdraw(2)).toBe(true)
  expect(session.withdraw(3)).toBe(false)
})

test('what one person decided is not sent by the session of another, and waits until they are back', async () => {
  const { heard, open } = office([{ kind: 'unreachable' }])
  const session = open()
  await session.speakAs('ann')
  session.add(nut(1))
  await vi.advanceTimersByTimeAsync(0)
  await session.speakAs('bob')
  session.add(nut(2))
  await vi.runAllTimersAsync()
  expect(heard.map(({ review }) => review)).toEqual([1, 2])
  expect(session.snapshot()).toEqual({ entries: [], others: [{ by: 'ann', count: 1 }], held: null })
  await session.speakAs('ann')
  await vi.runAllTimersAsync()
  expect(heard.map(({ review }) => review)).toEqual([1, 2, 1])
  expect(session.snapshot()).toEqual({ entries: [], others: [], held: null })
})

test('nothing is sent while another tab has somebody else signed in', async () => {
  const heard: DecisionEntry[] = []
  let signedIn = 'bob'
  const session = new Decisions(
    { load: () => [], keep: () => undefined },
    (entry) => {
      heard.push(entry)
      return Promise.resolve(saved(entry.review))
    },
    (person) => Promise.resolve(person === signedIn ? 'still' : 'another'),
  )
  await session.speakAs('ann')
  session.add(nut(1))
  await vi.runAllTimersAsync()
  expect(heard).toEqual([])
  expect(session.snapshot()).toMatchObject({ held: 'signed_out', entries: [{ by: 'ann' }] })
  signedIn = 'ann'
  await session.speakAs('ann')
  expect(heard).toHaveLength(1)
})

test('what another tab keeps on the shelf stays there', async () => {
  const { open, shelf } = office([{ kind: 'unreachable' }])
  const here = open()
  const there = open()
  there.add(nut(1))
  await vi.advanceTimersByTimeAsync(0)
  here.add(nut(2))
  await vi.advanceTimersByTimeAsync(0)
  expect(shelf.entries.map(({ review }) => review)).toEqual([1])
})
