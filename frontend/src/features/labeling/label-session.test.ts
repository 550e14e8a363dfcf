// @vitest-environment jsdom

import 'fake-indexeddb/auto'

import { expect, test, vi } from 'vitest'

import type { LabelTask, UndoneTask } from '../../shared/api/types'
import { LabelSession } from './label-session'
import type { AnsweredTask, LeasedTask } from './leased-task'
import type { TaskSource } from './task-source'
import { Outbox, type Send } from './outbox'
import { type OutboxEntry, OutboxStore } from './outbox-store'

const classes = ['zero', 'one', 'two']
let databases = 0

function leasedTask(id: string): LeasedTask {
  const task = { id, suggestion: { class: 'one', probabilities: {} }, lease_token: 1, flag: null } as unknown as LabelTask
  return { task, lease: { token: 1, until: Date.now() + 60_000, taken: Date.now() } }
}

function sourceOf(ids: string[], earlier: AnsweredTask[]): TaskSource {
  let given = false
  return {
    skew: 0,
    next: () => {
      const leasedTasks = given ? [] : ids.map(leasedTask)
      given = true
      return Promise.resolve({ leasedTasks, leased: 0, nextFrees: null })
    },
    renewDue: () => Promise.resolve(new Map()),
    earlier: () => Promise.resolve({ past: earlier, next: null }),
  }
}

async function sessionWith(ids: string[], earlier: AnsweredTask[] = []) {
  const sent: OutboxEntry[] = []
  const send: Send = (entry) => {
    sent.push(entry)
    return Promise.resolve(
      entry.kind === 'undo' ? { kind: 'undone', task: leasedTask(String(entry.task)).task as UndoneTask } : { kind: 'saved', receipt: null },
    )
  }
  databases += 1
  const outbox = new Outbox(new OutboxStore(`session-${databases}`), send)
  const session = new LabelSession({ id: 'q', classes }, outbox, sourceOf(ids, earlier))
  session.open()
  await vi.waitFor(() => expect(session.shown()?.task.id).toBe(ids[0]))
  const said = () => sent.map((entry) => [entry.kind, entry.task, entry.body && 'value' in entry.body ? entry.body.value : undefined])
  return { session, outbox, said, entries: () => sent }
}

test('one key answers and the next image stands there at once', async () => {
  const { session, said } = await sessionWith(['a', 'b'])
  session.say({ class: 'two' })
  expect(session.shown()?.task.id).toBe('b')
  await vi.waitFor(() => expect(said()).toEqual([['answer', 'a', { class: 'two' }]]))
})

test('accepting the suggestion and correcting it cost the same single call', async () => {
  const { session, said } = await sessionWith(['a', 'b'])
  session.acceptSuggestion()
  session.say({ class: 'zero' })
  await vi.waitFor(() => expect(said()).toEqual([['answer', 'a', { class: 'one' }], ['answer', 'b', { class: 'zero' }]]))
})

test('a class that the queue does not have does nothing', async () => {
  const { session } = await sessionWith(['a', 'b'])
  session.say({ class: 'seven' })
  expect(session.shown()?.task.id).toBe('a')
})

test('undo goes back across tasks, one at a time', async () => {
  const { session } = await sessionWith(['a', 'b', 'c'])
  session.say({ class: 'zero' })
  session.skip()
  await session.undo()
  expect(session.shown()?.task.id).toBe('b')
  await session.undo()
  expect(session.shown()?.task.id).toBe('a')
})

test('an undone answer given again ends as the second answer only', async () => {
  const { session, said, outbox } = await sessionWith(['a', 'b'])
  session.say({ class: 'zero' })
  await vi.waitFor(() => expect(said()).toHaveLength(1))
  await session.undo()
  session.say({ class: 'one' })
  await vi.waitFor(() => expect(said()).toHaveLength(3))
  expect(said().slice(1)).toEqual([['undo', 'a', undefined], ['answer', 'a', { class: 'one' }]])
  expect((await outbox.pendingTasks()).size).toBe(0)
})

test('looking back and pressing another class corrects that task and comes back', async () => {
  const { session, said } = await sessionWith(['a', 'b'])
  session.say({ class: 'zero' })
  await vi.waitFor(() => expect(said()).toHaveLength(1))
  session.look(1)
  expect(session.shown()?.task.id).toBe('a')
  session.say({ class: 'two' })
  expect(session.shown()?.task.id).toBe('b')
  await vi.waitFor(() => expect(said().at(-1)).toEqual(['answer', 'a', { class: 'two' }]))
})

test('a correction far back comes back to the present image; the same answer steps forward by one', async () => {
  const { session } = await sessionWith(['a', 'b', 'c'])
  session.say({ class: 'zero' })
  session.say({ class: 'one' })
  session.lookAt(2)
  session.say({ class: 'zero' })
  expect(session.shown()?.task.id).toBe('b')
  session.lookAt(2)
  session.say({ class: 'two' })
  expect(session.shown()?.task.id).toBe('c')
})

test('a flag is sent without answering, and can be taken away', async () => {
  const { session, said } = await sessionWith(['a', 'b'])
  session.flag('blurred')
  expect(session.shown()?.task.id).toBe('a')
  const [leasedTask] = session.snapshot().ahead
  expect(leasedTask && session.flagOf(leasedTask)).toEqual({ note: 'blurred' })
  session.flag(null)
  await vi.waitFor(() => expect(said().map(([kind]) => kind)).toEqual(['flag', 'unflag']))
})

test('a skip says why', async () => {
  const { session, entries } = await sessionWith(['a', 'b'])
  session.skip('bad image')
  await vi.waitFor(() => expect(entries()[0]).toMatchObject({ kind: 'skip', task: 'a', body: { reason: 'bad image', shown_suggestion: true } }))
})

test('a corrected suggestion is sent as changed, an accepted one as not', async () => {
  const { session, entries } = await sessionWith(['a', 'b'])
  session.acceptSuggestion()
  session.say({ class: 'two' })
  await vi.waitFor(() => expect(entries().map(({ body }) => body && 'changed' in body && body.changed)).toEqual([false, true]))
})

test('looking back reaches what was said on earlier visits, and corrects it', async () => {
  const old = { ...leasedTask('old'), chosen: { class: 'one' }, entry: 'long ago' }
  const { session, said } = await sessionWith(['a', 'b'], [old])
  await vi.waitFor(() => expect(session.snapshot().past).toHaveLength(1))
  session.look(1)
  expect(session.shown()?.task.id).toBe('old')
  session.say({ class: 'zero' })
  expect(session.shown()?.task.id).toBe('a')
  await vi.waitFor(() => expect(said()).toEqual([['undo', 'old', undefined], ['answer', 'old', { class: 'zero' }]]))
})

test('what was skipped and is asked for again stands there again', async () => {
  const offers = [['a'], [], ['a']]
  let token = 0
  const source: TaskSource = {
    ...sourceOf([], []),
    next: () => {
      token += 1
      const leasedTasks = (offers.shift() ?? []).map((id) => ({ ...leasedTask(id), lease: { ...leasedTask(id).lease, token } }))
      return Promise.resolve({ leasedTasks, leased: 0, nextFrees: null })
    },
  }
  databases += 1
  const session = new LabelSession({ id: 'q', classes }, new Outbox(new OutboxStore(`session-${databases}`), () => Promise.resolve({ kind: 'saved', receipt: null })), source)
  session.open()
  await vi.waitFor(() => expect(session.shown()).toBeDefined())
  session.skip()
  await vi.waitFor(() => expect(session.snapshot().phase).toBe('empty'))
  await session.fill()
  expect(session.shown()?.task.id).toBe('a')
  expect(session.snapshot().past).toEqual([])
})

test('an empty queue is asked again every few seconds, however long the leases of others are', async () => {
  let asked = 0
  const source: TaskSource = {
    ...sourceOf([], []),
    next: () => {
      asked += 1
      return Promise.resolve({ leasedTasks: asked > 1 ? [leasedTask('a')] : [], leased: 6, nextFrees: 600 })
    },
  }
  databases += 1
  const session = new LabelSession({ id: 'q', classes }, new Outbox(new OutboxStore(`session-${databases}`), () => Promise.resolve({ kind: 'saved', receipt: null })), source)
  session.open()
  await vi.waitFor(() => expect(session.snapshot().phase).toBe('empty'))
  await session.tick(Date.now() + 1_000)
  expect(asked).toBe(1)
  await session.tick(Date.now() + 5_000)
  await vi.waitFor(() => expect(session.shown()?.task.id).toBe('a'))
})

test('a queue that is refused is asked again ever later', async () => {
  let asked = 0
  const source: TaskSource = { ...sourceOf([], []), next: () => {
      asked += 1
      return Promise.reject(new Error('emoji is archived.'))
    } }
  databases += 1
  const session = new LabelSession({ id: 'q', classes }, new Outbox(new OutboxStore(`session-${databases}`), () => Promise.resolve({ kind: 'saved', receipt: null })), source)
  session.open()
  const begun = Date.now()
  for (let second = 0; second < 120; second += 1) {
    await vi.waitFor(() => expect(session.snapshot().phase).toBe('failed'))
    vi.setSystemTime(begun + second * 1_000)
    await session.tick(Date.now())
    await new Promise((later) => setTimeout(later, 0))
  }
  vi.useRealTimers()
  expect(asked).toBeGreaterThan(5)
  expect(asked).toBeLessThan(10)
})

test('when nothing is left for me the session says so', async () => {
  const { session } = await sessionWith(['a'])
  session.say({ class: 'zero' })
  await vi.waitFor(() => expect(session.snapshot().phase).toBe('empty'))
})

test('who answers faster than answers are saved waits for them, and is never told that nothing is left', async () => {
  const held: (() => void)[] = []
  const send: Send = () => new Promise((saved) => held.push(() => saved({ kind: 'saved', receipt: null })))
  databases += 1
  const outbox = new Outbox(new OutboxStore(`session-${databases}`), send)
  const answered = new Set<string>()
  const asked: number[] = []
  const tasks = Array.from({ length: 200 }, (_, place) => `t${place}`)
  const source: TaskSource = {
    ...sourceOf([], []),
    // As the server does: what is mine and not answered first.
    next: (_, count) => {
      asked.push(count)
      return Promise.resolve({ leasedTasks: tasks.filter((id) => !answered.has(id)).slice(0, count).map(leasedTask), leased: 0, nextFrees: null })
    },
  }
  const session = new LabelSession({ id: 'q', classes }, outbox, source)
  session.open()
  const phases = new Set<string>()
  session.subscribe(() => phases.add(session.snapshot().phase))
  for (let turn = 0; turn < 100; turn += 1) {
    await vi.waitFor(() => expect(session.shown() !== undefined || held.length > 0).toBe(true))
    if (session.shown()) {
      session.say({ class: 'zero' })
      await new Promise((later) => setTimeout(later, 1))
    } else {
      const first = (await outbox.pendingTasks()).values().next().value
      if (first !== undefined) answered.add(first)
      held.shift()?.()
    }
  }
  expect(Math.max(...asked)).toBeLessThanOrEqual(50)
  expect(phases.has('empty')).toBe(false)
  expect(session.snapshot().past.length).toBeGreaterThan(50)
})
