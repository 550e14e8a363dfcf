import 'fake-indexeddb/auto'

import { expect, test, vi } from 'vitest'

import type { LabelTask } from '../../shared/api/types'
import { Desk, type Seat } from './desk'
import type { Feed } from './feed'
import { Outbox, type Send } from './outbox'
import { type Entry, OutboxStore } from './outbox-store'

const classes = ['zero', 'one', 'two']
let databases = 0

function seat(id: string): Seat {
  const task = { id, suggestion: { class: 'one' }, lease_token: 1 } as unknown as LabelTask
  return { task, lease: { token: 1, until: Date.now() + 60_000, taken: Date.now() } }
}

function feedOf(ids: string[]): Feed {
  let given = false
  return {
    skew: 0,
    next: () => {
      const seats = given ? [] : ids.map(seat)
      given = true
      return Promise.resolve({ seats, leased: 0, nextFrees: null })
    },
    renewDue: () => Promise.resolve(new Map()),
    earlier: () => Promise.resolve({ past: [], next: null }),
  }
}

async function deskWith(ids: string[]) {
  const sent: Entry[] = []
  const send: Send = (entry) => {
    sent.push(entry)
    return Promise.resolve(
      entry.kind === 'undo' ? { kind: 'undone', task: seat(String(entry.task)).task as LabelTask } : { kind: 'saved', receipt: null },
    )
  }
  databases += 1
  const outbox = new Outbox(new OutboxStore(`desk-${databases}`), send)
  const desk = new Desk({ id: 'q', classes }, outbox, feedOf(ids))
  desk.open()
  await vi.waitFor(() => expect(desk.shown()?.task.id).toBe(ids[0]))
  const said = () => sent.map((entry) => [entry.kind, entry.task, entry.body && 'value' in entry.body ? entry.body.value : undefined])
  return { desk, outbox, said }
}

test('one key answers and the next image stands there at once', async () => {
  const { desk, said } = await deskWith(['a', 'b'])
  desk.say({ class: 'two' })
  expect(desk.shown()?.task.id).toBe('b')
  await vi.waitFor(() => expect(said()).toEqual([['answer', 'a', { class: 'two' }]]))
})

test('accepting the suggestion and correcting it cost the same single call', async () => {
  const { desk, said } = await deskWith(['a', 'b'])
  desk.acceptSuggestion()
  desk.say({ class: 'zero' })
  await vi.waitFor(() => expect(said()).toEqual([['answer', 'a', { class: 'one' }], ['answer', 'b', { class: 'zero' }]]))
})

test('a class that the queue does not have does nothing', async () => {
  const { desk } = await deskWith(['a', 'b'])
  desk.say({ class: 'seven' })
  expect(desk.shown()?.task.id).toBe('a')
})

test('undo goes back across tasks, one at a time', async () => {
  const { desk } = await deskWith(['a', 'b', 'c'])
  desk.say({ class: 'zero' })
  desk.skip()
  await desk.undo()
  expect(desk.shown()?.task.id).toBe('b')
  await desk.undo()
  expect(desk.shown()?.task.id).toBe('a')
})

test('an undone answer given again ends as the second answer only', async () => {
  const { desk, said, outbox } = await deskWith(['a', 'b'])
  desk.say({ class: 'zero' })
  await vi.waitFor(() => expect(said()).toHaveLength(1))
  await desk.undo()
  desk.say({ class: 'one' })
  await vi.waitFor(() => expect(said()).toHaveLength(3))
  expect(said().slice(1)).toEqual([['undo', 'a', undefined], ['answer', 'a', { class: 'one' }]])
  expect((await outbox.pendingTasks()).size).toBe(0)
})

test('looking back and pressing another class corrects that task and comes back', async () => {
  const { desk, said } = await deskWith(['a', 'b'])
  desk.say({ class: 'zero' })
  await vi.waitFor(() => expect(said()).toHaveLength(1))
  desk.look(1)
  expect(desk.shown()?.task.id).toBe('a')
  desk.say({ class: 'two' })
  expect(desk.shown()?.task.id).toBe('b')
  await vi.waitFor(() => expect(said().at(-1)).toEqual(['answer', 'a', { class: 'two' }]))
})

test('when nothing is left for me the desk says so', async () => {
  const { desk } = await deskWith(['a'])
  desk.say({ class: 'zero' })
  await vi.waitFor(() => expect(desk.snapshot().phase).toBe('empty'))
})
