// @vitest-environment jsdom

import 'fake-indexeddb/auto'

import { expect, test, vi } from 'vitest'

import type { LabelTask, UndoneTask } from '../../shared/api/types'
import { Desk, type Past, type Seat } from './desk'
import type { Feed } from './feed'
import { Outbox, type Send } from './outbox'
import { type Entry, OutboxStore } from './outbox-store'

const classes = ['zero', 'one', 'two']
let databases = 0

function seat(id: string): Seat {
  const task = { id, suggestion: { class: 'one', probabilities: {} }, lease_token: 1, flag: null } as unknown as LabelTask
  return { task, lease: { token: 1, until: Date.now() + 60_000, taken: Date.now() } }
}

function feedOf(ids: string[], earlier: Past[]): Feed {
  let given = false
  return {
    skew: 0,
    next: () => {
      const seats = given ? [] : ids.map(seat)
      given = true
      return Promise.resolve({ seats, leased: 0, nextFrees: null })
    },
    renewDue: () => Promise.resolve(new Map()),
    earlier: () => Promise.resolve({ past: earlier, next: null }),
  }
}

async function deskWith(ids: string[], earlier: Past[] = []) {
  const sent: Entry[] = []
  const send: Send = (entry) => {
    sent.push(entry)
    return Promise.resolve(
      entry.kind === 'undo' ? { kind: 'undone', task: seat(String(entry.task)).task as UndoneTask } : { kind: 'saved', receipt: null },
    )
  }
  databases += 1
  const outbox = new Outbox(new OutboxStore(`desk-${databases}`), send)
  const desk = new Desk({ id: 'q', classes }, outbox, feedOf(ids, earlier))
  desk.open()
  await vi.waitFor(() => expect(desk.shown()?.task.id).toBe(ids[0]))
  const said = () => sent.map((entry) => [entry.kind, entry.task, entry.body && 'value' in entry.body ? entry.body.value : undefined])
  return { desk, outbox, said, entries: () => sent }
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

test('a correction far back comes back to the present image; the same answer steps forward by one', async () => {
  const { desk } = await deskWith(['a', 'b', 'c'])
  desk.say({ class: 'zero' })
  desk.say({ class: 'one' })
  desk.lookAt(2)
  desk.say({ class: 'zero' })
  expect(desk.shown()?.task.id).toBe('b')
  desk.lookAt(2)
  desk.say({ class: 'two' })
  expect(desk.shown()?.task.id).toBe('c')
})

test('a flag is sent without answering, and can be taken away', async () => {
  const { desk, said } = await deskWith(['a', 'b'])
  desk.flag('blurred')
  expect(desk.shown()?.task.id).toBe('a')
  const [seat] = desk.snapshot().ahead
  expect(seat && desk.flagOf(seat)).toEqual({ note: 'blurred' })
  desk.flag(null)
  await vi.waitFor(() => expect(said().map(([kind]) => kind)).toEqual(['flag', 'unflag']))
})

test('a skip says why', async () => {
  const { desk, entries } = await deskWith(['a', 'b'])
  desk.skip('bad image')
  await vi.waitFor(() => expect(entries()[0]).toMatchObject({ kind: 'skip', task: 'a', body: { reason: 'bad image', shown_suggestion: true } }))
})

test('a corrected suggestion is sent as changed, an accepted one as not', async () => {
  const { desk, entries } = await deskWith(['a', 'b'])
  desk.acceptSuggestion()
  desk.say({ class: 'two' })
  await vi.waitFor(() => expect(entries().map(({ body }) => body && 'changed' in body && body.changed)).toEqual([false, true]))
})

test('looking back reaches what was said on earlier visits, and corrects it', async () => {
  const old = { ...seat('old'), chosen: { class: 'one' }, entry: 'long ago' }
  const { desk, said } = await deskWith(['a', 'b'], [old])
  await vi.waitFor(() => expect(desk.snapshot().past).toHaveLength(1))
  desk.look(1)
  expect(desk.shown()?.task.id).toBe('old')
  desk.say({ class: 'zero' })
  expect(desk.shown()?.task.id).toBe('a')
  await vi.waitFor(() => expect(said()).toEqual([['undo', 'old', undefined], ['answer', 'old', { class: 'zero' }]]))
})

test('what was skipped and is asked for again stands there again', async () => {
  const offers = [['a'], [], ['a']]
  let token = 0
  const feed: Feed = {
    ...feedOf([], []),
    next: () => {
      token += 1
      const seats = (offers.shift() ?? []).map((id) => ({ ...seat(id), lease: { ...seat(id).lease, token } }))
      return Promise.resolve({ seats, leased: 0, nextFrees: null })
    },
  }
  databases += 1
  const desk = new Desk({ id: 'q', classes }, new Outbox(new OutboxStore(`desk-${databases}`), () => Promise.resolve({ kind: 'saved', receipt: null })), feed)
  desk.open()
  await vi.waitFor(() => expect(desk.shown()).toBeDefined())
  desk.skip()
  await vi.waitFor(() => expect(desk.snapshot().phase).toBe('empty'))
  await desk.fill()
  expect(desk.shown()?.task.id).toBe('a')
  expect(desk.snapshot().past).toEqual([])
})

test('an empty queue is asked again every few seconds, however long the leases of others are', async () => {
  let asked = 0
  const feed: Feed = {
    ...feedOf([], []),
    next: () => {
      asked += 1
      return Promise.resolve({ seats: asked > 1 ? [seat('a')] : [], leased: 6, nextFrees: 600 })
    },
  }
  databases += 1
  const desk = new Desk({ id: 'q', classes }, new Outbox(new OutboxStore(`desk-${databases}`), () => Promise.resolve({ kind: 'saved', receipt: null })), feed)
  desk.open()
  await vi.waitFor(() => expect(desk.snapshot().phase).toBe('empty'))
  await desk.tick(Date.now() + 1_000)
  expect(asked).toBe(1)
  await desk.tick(Date.now() + 5_000)
  await vi.waitFor(() => expect(desk.shown()?.task.id).toBe('a'))
})

test('when nothing is left for me the desk says so', async () => {
  const { desk } = await deskWith(['a'])
  desk.say({ class: 'zero' })
  await vi.waitFor(() => expect(desk.snapshot().phase).toBe('empty'))
})

test('who answers faster than answers are saved waits for them, and is never told that nothing is left', async () => {
  const held: (() => void)[] = []
  const send: Send = () => new Promise((saved) => held.push(() => saved({ kind: 'saved', receipt: null })))
  databases += 1
  const outbox = new Outbox(new OutboxStore(`desk-${databases}`), send)
  const answered = new Set<string>()
  const asked: number[] = []
  const tasks = Array.from({ length: 200 }, (_, place) => `t${place}`)
  const feed: Feed = {
    ...feedOf([], []),
    // As the server does: what is mine and not answered first.
    next: (_, count) => {
      asked.push(count)
      return Promise.resolve({ seats: tasks.filter((id) => !answered.has(id)).slice(0, count).map(seat), leased: 0, nextFrees: null })
    },
  }
  const desk = new Desk({ id: 'q', classes }, outbox, feed)
  desk.open()
  const phases = new Set<string>()
  desk.subscribe(() => phases.add(desk.snapshot().phase))
  for (let turn = 0; turn < 100; turn += 1) {
    await vi.waitFor(() => expect(desk.shown() !== undefined || held.length > 0).toBe(true))
    if (desk.shown()) {
      desk.say({ class: 'zero' })
      await new Promise((later) => setTimeout(later, 1))
    } else {
      const first = (await outbox.pendingTasks()).values().next().value
      if (first !== undefined) answered.add(first)
      held.shift()?.()
    }
  }
  expect(Math.max(...asked)).toBeLessThanOrEqual(50)
  expect(phases.has('empty')).toBe(false)
  expect(desk.snapshot().past.length).toBeGreaterThan(50)
})
