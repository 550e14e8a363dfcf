// @vitest-environment jsdom

import 'fake-indexeddb/auto'

import { expect, test, vi } from 'vitest'

import type { LabelTask, PageResult, UndoneTask } from '../../../shared/api/types'
import type { LeasedTask } from '../leased-task'
import type { TaskSource } from '../task-source'
import { Outbox, type Send } from '../outbox'
import { type OutboxEntry, OutboxStore } from '../outbox-store'
import { GridSession, type GridQueue } from './grid-session'

const plain: GridQueue = { id: 'q', classes: ['cat', 'dog', 'owl'], several: false, threshold: null }
let databases = 0

function leasedTask(id: number, cluster: string, probability: number): LeasedTask {
  const suggestion = cluster === '' ? null : { class: cluster, probability, probabilities: { [cluster]: probability }, model: 'm@1' }
  const task = { id, suggestion, cluster: cluster === '' ? null : cluster, flag: null } as unknown as LabelTask
  return { task, lease: { token: 1, until: Date.now() + 600_000, taken: Date.now() } }
}

/** A server with tasks by cluster: it offers what nobody answered, as often as it is asked. */
function server(tasks: Record<string, [id: number, probability: number][]>) {
  const state = { up: true, sent: [] as OutboxEntry[], done: new Set<number>() }
  const left = (name: string) => (tasks[name] ?? []).filter(([id]) => !state.done.has(id))
  const source: TaskSource = {
    skew: 0,
    next: (_, count, cluster) => {
      const names = Object.keys(tasks).filter((name) => left(name).length > 0)
      const name = cluster ?? names[0] ?? ''
      const leasedTasks = left(name).slice(0, count).map(([id, probability]) => leasedTask(id, name, probability))
      return Promise.resolve({ leasedTasks, leased: 0, nextFrees: null, clusters: names.map((each) => ({ name: each, todo: left(each).length })) })
    },
    renewDue: () => Promise.resolve(new Map()),
    earlier: () => Promise.resolve({ past: [], next: null }),
  }
  const send: Send = (entry) => {
    if (!state.up) return Promise.resolve({ kind: 'unreachable' })
    state.sent.push(entry)
    if (entry.kind === 'undo') {
      state.done.delete(Number(entry.task))
      return Promise.resolve({ kind: 'undone', task: { ...leasedTask(Number(entry.task), 'cat', 1).task, lease_token: 9, lease_until: '2100-01-01T00:00:00Z' } as UndoneTask })
    }
    if (entry.kind !== 'page') return Promise.resolve({ kind: 'saved', receipt: null })
    for (const { task } of entry.body.answers) state.done.add(task)
    const results = entry.body.answers.map(({ task }): PageResult => ({ task, status: 'saved' }))
    return Promise.resolve({ kind: 'page', results })
  }
  return { state, source, send }
}

async function sessionAt(tasks: Parameters<typeof server>[0], facts: Partial<GridQueue> = {}, size = 3) {
  const { state, source, send } = server(tasks)
  databases += 1
  const outbox = new Outbox(new OutboxStore(`grid-${databases}`), send)
  const session = new GridSession({ ...plain, ...facts }, outbox, source, size)
  session.open()
  await vi.waitFor(() => expect(session.snapshot().phase).toBe('working'))
  const shown = () => session.snapshot().tiles.map((tile) => tile.leasedTask.task.id)
  const pages = () => state.sent.flatMap((entry) => (entry.kind === 'page' ? [entry.body.answers.map(({ task, value }) => [task, value])] : []))
  return { session, outbox, state, shown, pages }
}

const cats: [number, number][] = [[1, 0.9], [2, 0.8], [3, 0.7], [4, 0.6], [5, 0.5]]

test('a page is accepted with one call, corrected tiles as corrected, under one key', async () => {
  const { session, state, shown, pages } = await sessionAt({ cat: cats })
  expect(shown()).toEqual([1, 2, 3])
  session.focusOn(1)
  session.label('dog')
  expect(session.snapshot().focus).toBe(2)
  session.acceptPage()
  expect(shown()).toEqual([4, 5])
  await vi.waitFor(() => expect(pages()).toEqual([[[1, { class: 'cat' }], [2, { class: 'dog' }], [3, { class: 'cat' }]]]))
  const [page] = state.sent
  expect(page?.kind === 'page' && page.body.answers.map((answer) => answer.changed)).toEqual([false, true, false])
})

test('a range takes one key', async () => {
  const { session, pages } = await sessionAt({ cat: cats })
  session.move(2, true)
  session.label('owl')
  expect(session.range()).toEqual([0, 2])
  session.acceptPage()
  await vi.waitFor(() => expect(pages()[0]?.map(([, value]) => value)).toEqual([{ class: 'owl' }, { class: 'owl' }, { class: 'owl' }]))
})

test('what is less sure than the lead allows stays until somebody has looked at it', async () => {
  const { session, shown, pages } = await sessionAt({ cat: cats }, { threshold: 0.85 })
  session.acceptPage()
  await vi.waitFor(() => expect(pages()).toEqual([[[1, { class: 'cat' }]]]))
  expect(shown().slice(0, 2)).toEqual([2, 3])
  session.focusOn(0)
  session.accept()
  session.acceptPage()
  await vi.waitFor(() => expect(pages()[1]).toEqual([[2, { class: 'cat' }]]))
})

test('nothing is sent of a page on which nothing may be accepted unseen', async () => {
  const { session, pages } = await sessionAt({ cat: cats }, { threshold: 0.99 })
  session.acceptPage()
  expect(session.snapshot().notice).toContain('confirm each tile')
  expect(pages()).toEqual([])
})

test('left-out tiles come back without a label once the clusters are done', async () => {
  const { session, shown, pages } = await sessionAt({ cat: cats.slice(0, 3) })
  session.toggleOut()
  session.acceptPage()
  await vi.waitFor(() => expect(pages()[0]?.map(([task]) => task)).toEqual([2, 3]))
  await vi.waitFor(() => expect(shown()).toEqual([1]))
  expect(session.snapshot()).toMatchObject({ cluster: null, tiles: [{ manner: 'open', value: null }] })
  session.label('owl')
  session.acceptPage()
  await vi.waitFor(() => expect(pages()[1]).toEqual([[1, { class: 'owl' }]]))
})

test('the next cluster follows by itself', async () => {
  const { session, shown } = await sessionAt({ cat: cats.slice(0, 2), dog: [[7, 0.9]] })
  session.acceptPage()
  await vi.waitFor(() => expect(shown()).toEqual([7]))
  expect(session.snapshot().cluster).toBe('dog')
})

test('undo takes back changes one by one, then the page', async () => {
  const { session, state, shown } = await sessionAt({ cat: cats })
  session.label('dog')
  await session.undo()
  expect(session.snapshot().tiles[0]).toMatchObject({ manner: 'suggested', value: { class: 'cat' } })
  session.acceptPage()
  await vi.waitFor(() => expect(state.sent).toHaveLength(1))
  await session.undo()
  expect(shown()).toEqual([1, 2, 3])
  await vi.waitFor(() => expect(state.sent.filter((entry) => entry.kind === 'undo').map((entry) => entry.task)).toEqual([1, 2, 3]))
  await vi.waitFor(() => expect(session.snapshot().tiles.map((tile) => tile.leasedTask.lease.token)).toEqual([9, 9, 9]))
  session.acceptPage()
  await vi.waitFor(() => expect(shown()).toEqual([4, 5]))
})

test('a page accepted without the network is sent when it is back, and its tiles are not asked again', async () => {
  const { session, outbox, state, shown, pages } = await sessionAt({ cat: cats })
  state.up = false
  session.acceptPage()
  await vi.waitFor(() => expect(outbox.snapshot()).toMatchObject({ waiting: 1, held: 'offline' }))
  await session.fill()
  expect(shown()).toEqual([4, 5])
  expect(await outbox.pendingTasks()).toEqual(new Set(['1', '2', '3']))
  state.up = true
  await outbox.drain()
  expect(pages()).toHaveLength(1)
})

test('skips carry their reason', async () => {
  const { session, state } = await sessionAt({ cat: cats })
  session.skip('bad image')
  session.acceptPage()
  await vi.waitFor(() => expect(state.sent).toHaveLength(1))
  const [page] = state.sent
  expect(page?.kind === 'page' && page.body.answers[0]).toMatchObject({ task: 1, value: null, reason: 'bad image' })
})

test('a page that is saved while the server is asked leaves no empty page behind', async () => {
  const { state, source, send } = server({ cat: cats })
  let asked = 0
  const late: TaskSource = {
    ...source,
    // A page at a time, mine first. The third answer was put together before the page was saved, and comes after that.
    next: async (...question) => {
      asked += 1
      const offer = await source.next(...question)
      if (asked === 3) {
        await vi.waitFor(() => expect(state.done.size).toBe(3))
        await new Promise((later) => setTimeout(later, 20))
      }
      return { ...offer, leasedTasks: offer.leasedTasks.slice(0, 3) }
    },
  }
  const slowly: Send = async (entry) => {
    await vi.waitFor(() => expect(asked).toBeGreaterThan(2))
    return send(entry)
  }
  databases += 1
  const session = new GridSession(plain, new Outbox(new OutboxStore(`grid-${databases}`), slowly), late, 3)
  session.open()
  await vi.waitFor(() => expect(session.snapshot().phase).toBe('working'))
  session.acceptPage()
  await vi.waitFor(() => expect(session.snapshot().tiles.map((tile) => tile.leasedTask.task.id)).toEqual([4, 5]))
  expect(asked).toBeGreaterThan(3)
})
