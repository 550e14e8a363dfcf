import { afterEach, expect, test, vi } from 'vitest'

import { OneTab } from './one-tab'

type Work = () => Promise<void>
interface Held {
  fail: (error: Error) => void
}

/** The locks of one browser, for one name: first come, first served, unless one is stolen. */
class Locks {
  private held: Held | null = null
  private readonly queue: { start: () => void; signal: AbortSignal | undefined }[] = []

  request = (_: string, { steal = false, signal }: LockOptions, work: Work): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = () => {
        const mine: Held = { fail: reject }
        this.held = mine
        void work().then(() => {
          resolve()
          if (this.held === mine) this.next()
        })
      }
      signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
      if (steal) {
        this.held?.fail(new DOMException('stolen', 'AbortError'))
        start()
      } else if (this.held) this.queue.push({ start, signal })
      else start()
    })

  private next(): void {
    this.held = null
    for (let waiting = this.queue.shift(); waiting; waiting = this.queue.shift()) {
      if (waiting.signal?.aborted === true) continue
      waiting.start()
      return
    }
  }
}

const tabs = (locks: Locks) => [1, 2].map(() => new OneTab('queue 7', locks as unknown as LockManager)) as [OneTab, OneTab]
const settle = () => vi.advanceTimersByTimeAsync(1_000)

afterEach(() => {
  vi.useRealTimers()
})

test('of two tabs at a queue one labels, and the other goes on when it is closed', async () => {
  vi.useFakeTimers()
  const [first, second] = tabs(new Locks())
  const close = first.open()
  second.open()
  await settle()
  expect([first.snapshot(), second.snapshot()]).toEqual(['here', 'elsewhere'])
  close()
  await settle()
  expect(second.snapshot()).toBe('here')
})

test('the second tab takes over, and the first one says so', async () => {
  vi.useFakeTimers()
  const [first, second] = tabs(new Locks())
  first.open()
  second.open()
  await settle()
  second.takeOver()
  await settle()
  expect([first.snapshot(), second.snapshot()]).toEqual(['elsewhere', 'here'])
})

test('where a browser has no locks everybody labels', () => {
  const tab = new OneTab('queue 7', undefined)
  tab.open()
  expect(tab.snapshot()).toBe('here')
})
