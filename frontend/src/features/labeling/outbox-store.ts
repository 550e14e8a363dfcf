import type { AnswerBody, Id, PageAnswer, SkipBody } from '../../shared/api/types'

/** What was said, by its kind. A page is many answers and skips under one key. */
export type Words =
  | { kind: 'answer'; task: Id; body: AnswerBody }
  | { kind: 'skip'; task: Id; body: SkipBody }
  | { kind: 'undo' | 'unflag'; task: Id; body: null }
  | { kind: 'flag'; task: Id; body: { note: string } }
  | { kind: 'page'; task: null; body: { answers: PageAnswer[] } }

/** One thing said by the annotator that the server may not have heard yet. */
export type OutboxEntry = Words & {
  /** Order of saying, given by the database. */
  seq: number
  /** The Idempotency-Key: however often it is sent, the server carries it out once. */
  id: string
  queue: Id
  /** Who said it: nobody else's session sends it. null: before anybody was known to be signed in. */
  by?: string | null
  /** Times that sending was begun; above zero the server may know it, even when no receipt came. */
  attempts: number
  /** Why the server will never take it; such an entry waits for the annotator, not for the network. */
  refused: string | null
}

/** As it is said: the outbox adds the rest. */
export type Saying = Words & { id: string; queue: Id }
export type NewEntry = Saying & Pick<OutboxEntry, 'attempts' | 'refused' | 'by'>

const storeName = 'entries'

/** The outbox's rows in IndexedDB: they outlive a reload, a crash of the browser and a restart of the server. */
export class OutboxStore {
  private readonly opened: Promise<IDBDatabase>

  constructor(name = 'motherlode-outbox') {
    this.opened = new Promise((resolve, reject) => {
      const request = indexedDB.open(name, 1)
      request.onupgradeneeded = () => {
        request.result.createObjectStore(storeName, { keyPath: 'seq', autoIncrement: true })
      }
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(failure(request.error))
    })
    // Whoever uses the store first hears of a failure; unheard, it must not count as a stray rejection.
    this.opened.catch(() => undefined)
  }

  async all(): Promise<OutboxEntry[]> {
    return (await this.run('readonly', (store) => store.getAll())) as OutboxEntry[]
  }

  async add(entry: NewEntry): Promise<void> {
    await this.run('readwrite', (store) => store.add(entry))
  }

  async put(entry: OutboxEntry): Promise<void> {
    await this.run('readwrite', (store) => store.put(entry))
  }

  async remove(seq: number): Promise<void> {
    await this.run('readwrite', (store) => store.delete(seq))
  }

  /** Resolves when the transaction is on disk, not when the request was merely accepted. */
  private async run<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const database = await this.opened
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(storeName, mode, { durability: 'strict' })
      const request = act(transaction.objectStore(storeName))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(failure(transaction.error))
    })
  }
}

function failure(error: DOMException | null): Error {
  return new Error(`This browser could not store the label: ${error?.message ?? 'no reason given'}.`)
}
