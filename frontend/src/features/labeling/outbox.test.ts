import 'fake-indexeddb/auto'

import { expect, test, vi } from 'vitest'

import type { UndoneTask } from '../../shared/api/types'
import { Outbox, type SendOutcome, type Send } from './outbox'
import { type OutboxEntry, OutboxStore } from './outbox-store'

let databases = 0
function freshStore(): OutboxStore {
  databases += 1
  return new OutboxStore(`outbox-${databases}`)
}

const saved: SendOutcome = { kind: 'saved', receipt: null }

function answer(id: string, task = id) {
  return {
    id,
    kind: 'answer' as const,
    task,
    queue: 'q',
    body: { value: { class: '7' }, seconds: 1, shown_suggestion: false, lease_token: 1 },
  }
}

/** A server that can be switched off and on and remembers what reached it. */
function server(outcomes: Partial<Record<OutboxEntry['kind'], SendOutcome>> = {}) {
  const state = { up: true, sent: [] as OutboxEntry[] }
  const send: Send = (entry) => {
    if (!state.up) return Promise.resolve({ kind: 'unreachable' })
    state.sent.push(entry)
    return Promise.resolve(outcomes[entry.kind] ?? saved)
  }
  return { state, send }
}

test('answers are sent in the order they were given, each under its own key', async () => {
  const { state, send } = server()
  const outbox = new Outbox(freshStore(), send)
  await Promise.all([outbox.add(answer('a')), outbox.add(answer('b')), outbox.add(answer('c'))])
  await outbox.drain()
  expect(state.sent.map((entry) => entry.id)).toEqual(['a', 'b', 'c'])
  expect(outbox.snapshot()).toMatchObject({ waiting: 0, held: null })
})

test('an answer counts as waiting from the moment it is given, before the browser has stored it', async () => {
  const { send } = server()
  const outbox = new Outbox(freshStore(), send)
  const added = outbox.add(answer('a'))
  expect(outbox.snapshot().waiting).toBe(1)
  await added
  await vi.waitFor(() => expect(outbox.snapshot().waiting).toBe(0))
})

test('what could not be sent survives a reload and is sent by the next page under the same key', async () => {
  const store = freshStore()
  const down = server()
  down.state.up = false
  const before = new Outbox(store, down.send)
  await before.add(answer('a'))
  await before.drain()
  expect(before.snapshot()).toMatchObject({ waiting: 1, held: 'offline' })

  const up = server()
  const after = new Outbox(store, up.send)
  await after.drain()
  expect(up.state.sent.map((entry) => entry.id)).toEqual(['a'])
  expect(await store.all()).toEqual([])
})

test('an unreachable server is tried again by itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true, advanceTimeDelta: 100 })
  try {
    const { state, send } = server()
    state.up = false
    const outbox = new Outbox(freshStore(), send)
    await outbox.add(answer('a'))
    await outbox.drain()
    state.up = true
    await vi.waitFor(() => expect(state.sent).toHaveLength(1), { timeout: 4_000 })
  } finally {
    vi.useRealTimers()
  }
})

test('undoing an answer that never left removes it and the server hears nothing', async () => {
  const { state, send } = server()
  const { promise: first, resolve: release } = Promise.withResolvers<SendOutcome>()
  const outbox = new Outbox(freshStore(), (entry) => (entry.id === 'a' ? first : send(entry)))
  await outbox.add(answer('a'))
  await outbox.add(answer('b'))
  expect(await outbox.undo('b', { id: 'u', task: 'b', queue: 'q' })).toBe('withdrawn')
  release(saved)
  await outbox.drain()
  expect(state.sent).toEqual([])
})

test('undoing an answer that was sent calls undo on the server', async () => {
  const { state, send } = server()
  const outbox = new Outbox(freshStore(), send)
  await outbox.add(answer('a'))
  await outbox.drain()
  expect(await outbox.undo('a', { id: 'u', task: 'a', queue: 'q' })).toBe('queued')
  await outbox.drain()
  expect(state.sent.map((entry) => entry.kind)).toEqual(['answer', 'undo'])
})

test('undoing an answer whose receipt was lost sends both, in order, because the server may know it', async () => {
  const { state, send } = server()
  state.up = false
  const outbox = new Outbox(freshStore(), send)
  await outbox.add(answer('a'))
  await outbox.drain()
  expect(await outbox.undo('a', { id: 'u', task: 'a', queue: 'q' })).toBe('queued')
  state.up = true
  await outbox.drain()
  expect(state.sent.map((entry) => entry.kind)).toEqual(['answer', 'undo'])
})

test('an answer given again after an undo carries the lease that the undo brought', async () => {
  const task = { id: 'a', lease_token: 2 } as unknown as UndoneTask
  const { state, send } = server({ undo: { kind: 'undone', task } })
  const outbox = new Outbox(freshStore(), send)
  await outbox.add(answer('a1', 'a'))
  await outbox.drain()
  state.up = false
  await outbox.undo('a1', { id: 'u', task: 'a', queue: 'q' })
  await outbox.drain()
  await outbox.add(answer('a2', 'a'))
  state.up = true
  await outbox.drain()
  expect(state.sent.at(-1)).toMatchObject({ id: 'a2', body: { lease_token: 2 } })
})

test('so does one that is given while the undo is just being heard of, and one with a newer lease keeps that', async () => {
  const task = { id: 'a', lease_token: 2 } as unknown as UndoneTask
  const { state, send } = server({ undo: { kind: 'undone', task } })
  const outbox = new Outbox(freshStore(), send)
  await outbox.add(answer('a1', 'a'))
  await outbox.drain()
  outbox.onOutcome((_, outcome) => {
    if (outcome.kind === 'undone') void outbox.add(answer('a2', 'a'))
  })
  await outbox.undo('a1', { id: 'u', task: 'a', queue: 'q' })
  await vi.waitFor(() => expect(state.sent.at(-1)).toMatchObject({ id: 'a2', body: { lease_token: 2 } }))
  const later = answer('a3', 'a')
  await outbox.add({ ...later, body: { ...later.body, lease_token: 3 } })
  await vi.waitFor(() => expect(state.sent.at(-1)).toMatchObject({ id: 'a3', body: { lease_token: 3 } }))
})

test('signing out holds everything and asks nothing again until somebody signs in', async () => {
  let signedIn = false
  const sent: string[] = []
  const outbox = new Outbox(freshStore(), (entry) => {
    if (!signedIn) return Promise.resolve({ kind: 'signed_out' })
    sent.push(entry.id)
    return Promise.resolve(saved)
  })
  await outbox.add(answer('a'))
  await outbox.drain()
  expect(outbox.snapshot()).toMatchObject({ waiting: 1, held: 'signed_out' })
  signedIn = true
  await outbox.drain()
  expect(sent).toEqual(['a'])
})

test('a refused answer is kept for the annotator and does not stop the ones behind it', async () => {
  const sent: string[] = []
  const outbox = new Outbox(freshStore(), (entry) => {
    sent.push(entry.id)
    return Promise.resolve(entry.id === 'a' ? { kind: 'refused', detail: 'unknown class' } : saved)
  })
  await outbox.add(answer('a'))
  await outbox.add(answer('b'))
  await outbox.drain()
  expect(sent).toEqual(['a', 'b'])
  expect(outbox.snapshot().refused).toMatchObject([{ id: 'a', refused: 'unknown class' }])
  expect(outbox.snapshot().waiting).toBe(0)
})

test('a lost lease counts as heard, because the server keeps the answer as a further opinion', async () => {
  const heard: string[] = []
  const { send } = server({ answer: { kind: 'lease_lost', detail: 're-leased to Ana' } })
  const outbox = new Outbox(freshStore(), send)
  outbox.onOutcome((_, outcome) => heard.push(outcome.kind))
  await outbox.add(answer('a'))
  await outbox.drain()
  expect(heard).toEqual(['lease_lost'])
  expect(outbox.snapshot().waiting).toBe(0)
})

test('tasks with something waiting are known, and an undo makes them open again', async () => {
  const { state, send } = server()
  state.up = false
  const outbox = new Outbox(freshStore(), send)
  await outbox.add(answer('a'))
  await outbox.add(answer('b'))
  await outbox.drain()
  await outbox.undo('a', { id: 'u', task: 'a', queue: 'q' })
  expect(await outbox.pendingTasks()).toEqual(new Set(['b']))
})

test('a server that was away for long is tried again after half a minute at most', async () => {
  const { state, send } = server()
  state.up = false
  const outbox = new Outbox(freshStore(), send)
  await outbox.add(answer('a'))
  const waits = vi.spyOn(globalThis, 'setTimeout')
  for (let tries = 0; tries < 12; tries += 1) await outbox.drain()
  const longest = Math.max(...waits.mock.calls.map(([, milliseconds]) => milliseconds ?? 0))
  waits.mockRestore()
  expect(longest).toBe(30_000)
})

test('what one person said is not sent by the session of another, and waits until they are back', async () => {
  const { state, send } = server()
  state.up = false
  const outbox = new Outbox(freshStore(), send)
  await outbox.speakAs('alice')
  await outbox.add(answer('a'))
  await outbox.drain()
  state.up = true
  await outbox.speakAs('bob')
  await outbox.add(answer('b'))
  await outbox.drain()
  expect(state.sent.map((entry) => entry.id)).toEqual(['b'])
  expect(outbox.snapshot()).toMatchObject({ waiting: 0, others: [{ by: 'alice', count: 1 }] })
  expect([...(await outbox.pendingTasks())]).toEqual([])
  await outbox.speakAs('alice')
  expect(state.sent.map((entry) => entry.id)).toEqual(['b', 'a'])
  expect(outbox.snapshot()).toMatchObject({ waiting: 0, others: [] })
})

test('until it is known who is signed in, what waits is not said to be saved, nor asked again, nor sent', async () => {
  const { state, send } = server()
  const store = freshStore()
  const before = new Outbox(store, () => Promise.resolve({ kind: 'unreachable' }))
  await before.speakAs('alice')
  await before.add(answer('a'))
  const outbox = new Outbox(store, send)
  await outbox.drain()
  expect(outbox.snapshot()).toMatchObject({ waiting: 1, others: [] })
  expect([...(await outbox.pendingTasks())]).toHaveLength(1)
  expect(state.sent).toEqual([])
  await outbox.speakAs('alice')
  expect(state.sent.map((entry) => entry.id)).toEqual(['a'])
  expect(outbox.snapshot()).toMatchObject({ waiting: 0 })
})

test('nothing is sent while another tab has somebody else signed in', async () => {
  const { state, send } = server()
  let signedIn = 'bob'
  const outbox = new Outbox(freshStore(), send, (person) => Promise.resolve(person === signedIn ? 'still' : 'another'))
  await outbox.speakAs('alice')
  await outbox.add(answer('a'))
  await outbox.drain()
  expect(state.sent).toEqual([])
  expect(outbox.snapshot()).toMatchObject({ waiting: 1, held: 'signed_out' })
  signedIn = 'alice'
  await outbox.speakAs('alice')
  expect(state.sent.map((entry) => entry.id)).toEqual(['a'])
})
