import type { Standing } from '../../shared/access/speaker'
import type { AnswerReceipt, Id, LabelTask, PageResult, UndoneTask } from '../../shared/api/types'
import type { OutboxEntry, NewEntry, OutboxStore, Saying } from './outbox-store'
import { waitAfter } from './patience'

/** What became of one sending. */
export type SendOutcome =
  | { kind: 'saved'; receipt: AnswerReceipt | null }
  | { kind: 'undone'; task: UndoneTask }
  | { kind: 'page'; results: PageResult[] }
  /** The lease had gone to somebody else; an answer is kept as a further opinion. */
  | { kind: 'lease_lost'; detail: string }
  | { kind: 'refused'; detail: string }
  | { kind: 'signed_out' }
  | { kind: 'unreachable' }

export type Send = (entry: OutboxEntry) => Promise<SendOutcome>
export type Heard = (entry: OutboxEntry, outcome: SendOutcome) => void

export interface OutboxState {
  waiting: number
  refused: OutboxEntry[]
  /** What others said on this computer and the server has not heard: it waits until they sign in. */
  others: { by: string; count: number }[]
  /** Why nothing is being sent although something waits. */
  held: 'offline' | 'signed_out' | null
  /** The browser itself failed to store. */
  broken: string | null
}

/**
 * Everything said goes to the store first, then to the server in the order it was said.
 *
 * One entry is in flight at a time. An unanswered sending is repeated under the same key; undoing what may have been
 * sent is itself an entry, so that its place in the order is kept.
 */
export class Outbox {
  private state: OutboxState = { waiting: 0, refused: [], others: [], held: null, broken: null }
  private person: string | null = null
  private readonly listeners = new Set<() => void>()
  private readonly hearers = new Set<Heard>()
  private storing: Promise<unknown> = Promise.resolve()
  private draining: Promise<void> | null = null
  private retry: ReturnType<typeof setTimeout> | undefined
  private failures = 0
  private again = false
  /** Said, but not in the store yet. */
  private adding = 0
  /** By task: the lease that its last undo brought. */
  private readonly leases = new Map<string, LabelTask>()

  constructor(
    private readonly store: OutboxStore,
    private readonly send: Send,
    private readonly standing: (person: string) => Promise<Standing> = () => Promise.resolve('still'),
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): OutboxState => this.state

  onOutcome(hearer: Heard): () => void {
    this.hearers.add(hearer)
    return () => this.hearers.delete(hearer)
  }

  /** Who is signed in: what they say is theirs, and what they said before is sent now. */
  async speakAs(person: string): Promise<void> {
    this.person = person
    await this.recount()
    await this.drain()
  }

  /** Resolves once the entry is stored; the sending follows by itself. */
  async add(entry: Saying): Promise<void> {
    // Counted from the key press on: until it is stored, nobody may read that all is saved.
    this.adding += 1
    this.change({ waiting: this.state.waiting + 1 })
    try {
      await this.inTurn(() => this.store.add({ ...this.withNewestLeases(entry), by: this.person, attempts: 0, refused: null }))
      this.adding -= 1
    } catch (error) {
      this.adding -= 1
      this.change({ waiting: this.state.waiting - 1 })
      throw error
    }
    await this.recount()
    void this.drain()
  }

  /**
   * Takes back what was said under `id`. `withdrawn`: the server never saw it and the lease still stands;
   * `queued`: an undo for each of its tasks follows it to the server.
   */
  async undo(id: string, ...undos: { id: string; task: Id; queue: Id }[]): Promise<'withdrawn' | 'queued'> {
    const result = await this.inTurn(async () => {
      const entry = (await this.store.all()).find((each) => each.id === id)
      // A refused entry did nothing on the server, so forgetting it is the whole undo.
      if (entry && (entry.attempts === 0 || entry.refused !== null)) {
        await this.store.remove(entry.seq)
        return 'withdrawn'
      }
      for (const undo of undos) await this.store.add({ ...undo, kind: 'undo', body: null, by: this.person, attempts: 0, refused: null })
      return 'queued'
    })
    await this.recount()
    void this.drain()
    return result
  }

  async discard(seq: number): Promise<void> {
    await this.inTurn(() => this.store.remove(seq))
    await this.recount()
  }

  /** Tasks about which something still waits: the server will offer them again, and they must not be asked twice. */
  async pendingTasks(): Promise<Set<string>> {
    const entries = await this.inTurn(() => this.store.all())
    const pending = new Set<string>()
    for (const entry of entries) {
      if (!this.mayBeMine(entry) || entry.refused !== null || entry.kind === 'flag' || entry.kind === 'unflag') continue
      if (entry.kind === 'undo') pending.delete(String(entry.task))
      else for (const task of tasksOf(entry)) pending.add(String(task))
    }
    return pending
  }

  /** Sends what waits, in order, until nothing does or the server cannot be had. Calls while it runs join it. */
  drain(): Promise<void> {
    clearTimeout(this.retry)
    // What is added while a drain is ending would be missed by it, so the wish is remembered.
    if (this.draining) this.again = true
    this.draining ??= this.drainUntilQuiet().finally(() => {
      this.draining = null
    })
    return this.draining
  }

  private async drainUntilQuiet(): Promise<void> {
    do {
      this.again = false
      try {
        await this.exclusively(() => this.sendAll())
      } catch (error) {
        this.change({ broken: error instanceof Error ? error.message : String(error) })
      }
      // The rule sees the assignment above and not that drain() may have been called meanwhile.
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
    } while (this.again)
  }

  /** Two tabs share one store: only one of them sends at a time. */
  private async exclusively(act: () => Promise<void>): Promise<void> {
    // lib.dom says that `locks` is always there; outside secure contexts (plain http on a LAN) it is not.
    const locks = navigator.locks as LockManager | undefined
    await (locks ? locks.request('motherlode-outbox', act) : act())
  }

  private async sendAll(): Promise<void> {
    for (;;) {
      const entry = await this.claimNext()
      await this.recount()
      if (!entry) {
        this.change({ held: null })
        return
      }
      // Another tab may have signed somebody else in: the page hears of it too, and says as whom to speak now.
      const standing = this.person === null ? 'still' : await this.standing(this.person)
      const outcome: SendOutcome = standing === 'still' ? await this.send(entry) : { kind: standing === 'unreachable' ? standing : 'signed_out' }
      if (outcome.kind === 'unreachable' || outcome.kind === 'signed_out') {
        this.hold(outcome.kind)
        return
      }
      this.failures = 0
      await this.settle(entry, outcome)
      await this.recount()
      for (const hear of this.hearers) hear(entry, outcome)
    }
  }

  /** The first entry to send, marked as begun before anything leaves, so that a crash leaves the doubt on record. */
  private claimNext(): Promise<OutboxEntry | undefined> {
    return this.inTurn(async () => {
      const next = (await this.store.all()).find((entry) => entry.refused === null && this.isMine(entry))
      if (!next) return undefined
      const begun = { ...next, attempts: next.attempts + 1 }
      await this.store.put(begun)
      return begun
    })
  }

  private settle(entry: OutboxEntry, outcome: SendOutcome): Promise<void> {
    return this.inTurn(async () => {
      if (outcome.kind === 'refused' && entry.kind !== 'undo') {
        await this.store.put({ ...entry, refused: outcome.detail })
        return
      }
      await this.store.remove(entry.seq)
      if (outcome.kind === 'undone') await this.useLease(outcome.task)
      if (outcome.kind === 'page') for (const refused of refusedOf(entry, outcome.results)) await this.store.add(refused)
    })
  }

  /**
   * An answer given again before its undo was heard of carries the old lease's token: those that wait get the new one now,
   * and those that are just being said when they are stored.
   */
  private async useLease(task: LabelTask): Promise<void> {
    this.leases.set(String(task.id), task)
    for (const entry of await this.store.all()) {
      const fresh = withLease(entry, task)
      if (fresh !== entry) await this.store.put(fresh)
    }
  }

  private withNewestLeases(said: Saying): Saying {
    const renewed = tasksOf(said).flatMap((task) => this.leases.get(String(task)) ?? [])
    return renewed.reduce(withLease<Saying>, said)
  }

  private hold(why: 'unreachable' | 'signed_out'): void {
    this.change({ held: why === 'unreachable' ? 'offline' : 'signed_out' })
    if (why === 'signed_out') return
    this.retry = setTimeout(() => void this.drain(), waitAfter(this.failures))
    this.failures += 1
  }

  private async recount(): Promise<void> {
    const entries = await this.inTurn(() => this.store.all())
    const mine = entries.filter((entry) => this.mayBeMine(entry))
    const others = new Map<string, number>()
    for (const entry of entries) if (entry.by && !this.mayBeMine(entry)) others.set(entry.by, (others.get(entry.by) ?? 0) + 1)
    this.change({
      waiting: mine.filter((entry) => entry.refused === null).length + this.adding,
      refused: mine.filter((entry) => entry.refused !== null),
      others: [...others].map(([by, count]) => ({ by, count })),
    })
  }

  private isMine({ by }: OutboxEntry): boolean {
    return !by || by === this.person
  }

  /** Before it is known who is signed in, whatever waits counts as waiting: a page that has just opened must not say that all is saved. */
  private mayBeMine(entry: OutboxEntry): boolean {
    return this.person === null || this.isMine(entry)
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.storing.then(act)
    this.storing = turn.catch(() => undefined)
    return turn
  }

  private change(part: Partial<OutboxState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.listeners) listener()
  }
}

/** What an entry is about; a flag is about a task too, but answers nothing. */
function tasksOf(entry: Saying): Id[] {
  return entry.kind === 'page' ? entry.body.answers.map((answer) => answer.task) : [entry.task]
}

/** With the lease of this task, unless it has a newer one. */
function withLease<Said extends Saying>(said: Said, { id, lease_token }: LabelTask): Said {
  const renewed = <Words extends { lease_token?: number | null }>(words: Words): Words => ((words.lease_token ?? 0) < lease_token ? { ...words, lease_token } : words)
  const isIt = (task: Id) => String(task) === String(id)
  if (!tasksOf(said).some(isIt)) return said
  switch (said.kind) {
    case 'answer':
    case 'skip':
      return { ...said, body: renewed(said.body) }
    case 'page':
      return { ...said, body: { answers: said.body.answers.map((answer) => (isIt(answer.task) ? renewed(answer) : answer)) } }
    default:
      return said
  }
}

/** Of a page that was taken, the answers that were not: each waits for the annotator by itself. */
function refusedOf(entry: OutboxEntry, results: PageResult[]): NewEntry[] {
  if (entry.kind !== 'page') return []
  return results.flatMap(({ task, status, problem }): NewEntry[] => {
    const answer = entry.body.answers.find((each) => String(each.task) === String(task))
    if (status !== 'refused' || !answer) return []
    const { value, seconds, reason, shown_suggestion, lease_token = null } = answer
    const common = { id: `${entry.id}.${task}`, task, queue: entry.queue, by: entry.by ?? null, attempts: 1, refused: problem?.detail ?? 'The server gave no reason.' }
    if (value === null) return [{ ...common, kind: 'skip', body: { reason, seconds, shown_suggestion, lease_token } }]
    return [{ ...common, kind: 'answer', body: { value, seconds, shown_suggestion, lease_token } }]
  })
}
