// @vitest-environment jsdom

import 'fake-indexeddb/auto'

import { expect, test, vi } from 'vitest'

import type { LabelTask, PageResult, UndoneTask } from '../../../shared/api/types'
import type { Seat } from '../desk'
import type { Feed } from '../feed'
import { Outbox, type Send } from '../outbox'
import { type Entry, OutboxStore } from '../outbox-store'
import { GridDesk, type GridQueue } from './grid-desk'

const plain: GridQueue = { id: 'q', classes: ['cat', 'dog', 'owl'], several: false, threshold: null }
let databases = 0

function seat(id: number, cluster: string, probability: number): Seat {
  const suggestion = cluster === '' ? null : { class: cluster, probability, probabilities: { [cluster]: probability }, model: 'm@1' }
  const task = { id, suggestion, cluster: cluster === '' ? null : cluster, flag: null } as unknown as LabelTask
  return { task, lease: { token: 1, until: Date.now() + 600_000, taken: Date.now() } }
}

/** A server with tasks by cluster: it offers what nobody answered, as often as it is asked. */
function server(tasks: Record<string, [id: number, probability: number][]>) {
  const state = { up: true, sent: [] as Entry[], done: new Set<number>() }
  const left = (name: string) => (tasks[name] ?? []).filter(([id]) => !state.done.has(id))
  const feed: Feed = {
    skew: 0,
    next: (_, count, cluster) => {
      const names = Object.keys(tasks).filter((name) => left(name).length > 0)
      const name = cluster ?? names[0] ?? ''
      const seats = left(name).slice(0, count).map(([id, probability]) => seat(id, name, probability))
      return Promise.resolve({ seats, leased: 0, nextFrees: null, clusters: names.map((each) => ({ name: each, todo: left(each).length })) })
    },
    renewDue: () => Promise.resolve(new Map()),
    earlier: () => Promise.resolve({ past: [], next: null }),
  }
  const send: Send = (entry) => {
    if (!state.up) return Promise.resolve({ kind: 'unreachable' })
    state.sent.push(entry)
    if (entry.kind === 'undo') {
      state.done.delete(Number(entry.task))
      return Promise.resolve({ kind: 'undone', task: { ...seat(Number(entry.task), 'cat', 1).task, lease_token: 9, lease_until: '2100-01-01T00:00:00Z' } as UndoneTask })
    }
    if (entry.kind !== 'page') return Promise.resolve({ kind: 'saved', receipt: null })
    for (const { task } of entry.body.answers) state.done.add(task)
    const results = entry.body.answers.map(({ task }): PageResult => ({ task, status: 'saved' }))
    return Promise.resolve({ kind: 'page', results })
  }
  return { state, feed, send }
}

async function deskAt(tasks: Parameters<typeof server>[0], facts: Partial<GridQueue> = {}, size = 3) {
  const { state, feed, send } = server(tasks)
  databases += 1
  const outbox = new Outbox(new OutboxStore(`grid-${databases}`), send)
  const desk = new GridDesk({ ...plain, ...facts }, outbox, feed, size)
  desk.open()
  await vi.waitFor(() => expect(desk.snapshot().phase).toBe('working'))
  const shown = () => desk.snapshot().tiles.map((tile) => tile.seat.task.id)
  const pages = () => state.sent.flatMap((entry) => (entry.kind === 'page' ? [entry.body.answers.map(({ task, value }) => [task, value])] : []))
  return { desk, outbox, state, shown, pages }
}

const cats: [number, number][] = [[1, 0.9], [2, 0.8], [3, 0.7], [4, 0.6], [5, 0.5]]

test('a page is accepted with one call, corrected tiles as corrected, under one key', async () => {
  const { desk, state, shown, pages } = await deskAt({ cat: cats })
  expect(shown()).toEqual([1, 2, 3])
  desk.focusOn(1)
  desk.label('dog')
  expect(desk.snapshot().focus).toBe(2)
  desk.acceptPage()
  expect(shown()).toEqual([4, 5])
  await vi.waitFor(() => expect(pages()).toEqual([[[1, { class: 'cat' }], [2, { class: 'dog' }], [3, { class: 'cat' }]]]))
  const [page] = state.sent
  expect(page?.kind === 'page' && page.body.answers.map((answer) => answer.changed)).toEqual([false, true, false])
})

test('a range takes one key', async () => {
  const { desk, pages } = await deskAt({ cat: cats })
  desk.move(2, true)
  desk.label('owl')
  expect(desk.range()).toEqual([0, 2])
  desk.acceptPage()
  await vi.waitFor(() => expect(pages()[0]?.map(([, value]) => value)).toEqual([{ class: 'owl' }, { class: 'owl' }, { class: 'owl' }]))
})

test('what is less sure than the lead allows stays until somebody has looked at it', async () => {
  const { desk, shown, pages } = await deskAt({ cat: cats }, { threshold: 0.85 })
  desk.acceptPage()
  await vi.waitFor(() => expect(pages()).toEqual([[[1, { class: 'cat' }]]]))
  expect(shown().slice(0, 2)).toEqual([2, 3])
  desk.focusOn(0)
  desk.accept()
  desk.acceptPage()
  await vi.waitFor(() => expect(pages()[1]).toEqual([[2, { class: 'cat' }]]))
})

test('nothing is sent of a page on which nothing may be accepted unseen', async () => {
  const { desk, pages } = await deskAt({ cat: cats }, { threshold: 0.99 })
  desk.acceptPage()
  expect(desk.snapshot().notice).toContain('confirm each tile')
  expect(pages()).toEqual([])
})

test('left-out tiles come back without a label once the clusters are done', async () => {
  const { desk, shown, pages } = await deskAt({ cat: cats.slice(0, 3) })
  desk.toggleOut()
  desk.acceptPage()
  await vi.waitFor(() => expect(pages()[0]?.map(([task]) => task)).toEqual([2, 3]))
  await vi.waitFor(() => expect(shown()).toEqual([1]))
  expect(desk.snapshot()).toMatchObject({ cluster: null, tiles: [{ manner: 'open', value: null }] })
  desk.label('owl')
  desk.acceptPage()
  await vi.waitFor(() => expect(pages()[1]).toEqual([[1, { class: 'owl' }]]))
})

test('the next cluster follows by itself', async () => {
  const { desk, shown } = await deskAt({ cat: cats.slice(0, 2), dog: [[7, 0.9]] })
  desk.acceptPage()
  await vi.waitFor(() => expect(shown()).toEqual([7]))
  expect(desk.snapshot().cluster).toBe('dog')
})

test('undo takes back changes one by one, then the page', async () => {
  const { desk, state, shown } = await deskAt({ cat: cats })
  desk.label('dog')
  await desk.undo()
  expect(desk.snapshot().tiles[0]).toMatchObject({ manner: 'suggested', value: { class: 'cat' } })
  desk.acceptPage()
  await vi.waitFor(() => expect(state.sent).toHaveLength(1))
  await desk.undo()
  expect(shown()).toEqual([1, 2, 3])
  await vi.waitFor(() => expect(state.sent.filter((entry) => entry.kind === 'undo').map((entry) => entry.task)).toEqual([1, 2, 3]))
  await vi.waitFor(() => expect(desk.snapshot().tiles.map((tile) => tile.seat.lease.token)).toEqual([9, 9, 9]))
  desk.acceptPage()
  await vi.waitFor(() => expect(shown()).toEqual([4, 5]))
})

test('a page accepted without the network is sent when it is back, and its tiles are not asked again', async () => {
  const { desk, outbox, state, shown, pages } = await deskAt({ cat: cats })
  state.up = false
  desk.acceptPage()
  await vi.waitFor(() => expect(outbox.snapshot()).toMatchObject({ waiting: 1, held: 'offline' }))
  await desk.fill()
  expect(shown()).toEqual([4, 5])
  expect(await outbox.pendingTasks()).toEqual(new Set(['1', '2', '3']))
  state.up = true
  await outbox.drain()
  expect(pages()).toHaveLength(1)
})

test('skips carry their reason', async () => {
  const { desk, state } = await deskAt({ cat: cats })
  desk.skip('bad image')
  desk.acceptPage()
  await vi.waitFor(() => expect(state.sent).toHaveLength(1))
  const [page] = state.sent
  expect(page?.kind === 'page' && page.body.answers[0]).toMatchObject({ task: 1, value: null, reason: 'bad image' })
})

test('a page that is saved while the server is asked leaves no empty page behind', async () => {
  const { state, feed, send } = server({ cat: cats })
  let asked = 0
  const late: Feed = {
    ...feed,
    // A page at a time, mine first. The third answer was put together before the page was saved, and comes after that.
    next: async (...question) => {
      asked += 1
      const offer = await feed.next(...question)
      if (asked === 3) {
        await vi.waitFor(() => expect(state.done.size).toBe(3))
        await new Promise((later) => setTimeout(later, 20))
      }
      return { ...offer, seats: offer.seats.slice(0, 3) }
    },
  }
  const slowly: Send = async (entry) => {
    await vi.waitFor(() => expect(asked).toBeGreaterThan(2))
    return send(entry)
  }
  databases += 1
  const desk = new GridDesk(plain, new Outbox(new OutboxStore(`grid-${databases}`), slowly), late, 3)
  desk.open()
  await vi.waitFor(() => expect(desk.snapshot().phase).toBe('working'))
  desk.acceptPage()
  await vi.waitFor(() => expect(desk.snapshot().tiles.map((tile) => tile.seat.task.id)).toEqual([4, 5]))
  expect(asked).toBeGreaterThan(3)
})
