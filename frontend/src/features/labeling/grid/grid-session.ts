import { newId } from '../../../shared/api/new-id'
import type { Id, PageAnswer } from '../../../shared/api/types'
import { answerBody, retryAfter } from '../label-session'
import type { LeasedTask } from '../leased-task'
import type { TaskSource, Offer } from '../task-source'
import { dueForRenewal, held } from '../lease'
import type { Outbox, SendOutcome } from '../outbox'
import type { OutboxEntry } from '../outbox-store'
import { Patience } from '../patience'
import { Stopwatch } from '../stopwatch'
import { confirmed, freshTile, isSaid, labelled, skipped, type Tile, type TileQueue, toggledOut } from './tiles'

export interface GridQueue extends TileQueue {
  id: Id
}

export interface Cluster {
  /** A class that the model suggests; empty for tasks that show no suggestion, null for tiles that were left out. */
  name: string | null
  todo: number
}

export interface GridState {
  /** The cluster on the page; undefined before the first page is there. */
  cluster: string | null | undefined
  clusters: readonly Cluster[]
  tiles: readonly Tile[]
  focus: number
  /** Where the selected range began; the focus is its other end. */
  anchor: number
  phase: 'filling' | 'working' | 'empty' | 'failed'
  emptiness: { leased: number; nextFrees: number | null; at: number } | null
  error: unknown
  notice: string | null
  /** Whether there is a change on the page, or a page, to take back. */
  canUndo: boolean
}

type Step = { tiles: readonly Tile[]; cluster: string | null; said: { entry: string; tasks: Id[] } | null }

const mostAtOnce = 200
const mostSteps = 200
const clustersTried = 5
/** A page of many tiles may take long; a person who walked away must not count as working. */
export const longestPage = 600

/**
 * One annotator at the pages of a grid: many tiles of one cluster, where only what is wrong costs a key. Holds no React and
 * no DOM. A page is sent as one entry of the outbox under one key.
 */
export class GridSession {
  private state: GridState = {
    cluster: undefined,
    clusters: [],
    tiles: [],
    focus: 0,
    anchor: 0,
    phase: 'filling',
    emptiness: null,
    error: null,
    notice: null,
    canUndo: false,
  }
  private readonly listeners = new Set<() => void>()
  /** Leased for the pages after this one. */
  private ready: LeasedTask[] = []
  private aside: LeasedTask[] = []
  private steps: Step[] = []
  private filling: Promise<void> | null = null
  /** A page was saved while the server was asked: what it offered may have been that page, and nothing else. */
  private savedMeanwhile = false
  private readonly patience = new Patience()
  readonly stopwatch = new Stopwatch(undefined, longestPage)

  constructor(
    private readonly queue: GridQueue,
    private readonly outbox: Outbox,
    private readonly source: TaskSource,
    private size: number,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): GridState => this.state

  open(): () => void {
    const stop = this.outbox.onOutcome((entry, outcome) => this.hear(entry, outcome))
    void this.fill()
    return stop
  }

  /** How many tiles the next page has. */
  resize(size: number): void {
    this.size = size
  }

  /** Another cluster on the page; null are the tiles that were left out. Tiles of this page wait for a later one. */
  async show(cluster: string | null): Promise<void> {
    if (cluster === this.state.cluster) return
    this.steps = []
    this.ready = []
    this.change({ cluster, tiles: [], phase: 'filling', canUndo: false })
    await this.fill()
  }

  /** Moves the focus; `extend` selects what lies between. */
  move(by: number, extend = false): void {
    const focus = this.within(this.state.focus + by)
    this.change({ focus, anchor: extend ? this.state.anchor : focus })
  }

  focusOn(place: number, extend = false): void {
    this.move(place - this.state.focus, extend)
  }

  selectAll(): void {
    this.change({ anchor: 0, focus: this.within(this.state.tiles.length) })
  }

  /** First and last of the selected places. */
  range(): [number, number] {
    const { focus, anchor } = this.state
    return [Math.min(focus, anchor), Math.max(focus, anchor)]
  }

  /** Gives the selected tiles a class; a single one hands the focus on. */
  label(name: string): void {
    if (this.queue.classes.includes(name)) this.edit((tile) => labelled(tile, name, this.queue), !this.queue.several)
  }

  accept(): void {
    this.edit((tile) => confirmed(tile, this.queue), true)
  }

  toggleOut(): void {
    this.edit((tile) => toggledOut(tile, this.queue), true)
  }

  skip(reason = ''): void {
    this.edit((tile) => skipped(tile, reason), true)
  }

  /** Says what stands on the page, but for what nobody has looked at and the lead wants looked at; those stay. */
  acceptPage(): void {
    const { tiles, cluster } = this.state
    if (cluster === undefined) return
    const said = tiles.filter((tile) => isSaid(tile, this.queue))
    const out = tiles.filter((tile) => tile.manner === 'out')
    if (said.length + out.length === 0) {
      this.change({ notice: 'Nothing on this page can be accepted without a look: confirm each tile (A) or give it a class.' })
      return
    }
    const entry = newId()
    this.remember({ tiles, cluster, said: { entry, tasks: said.map((tile) => tile.leasedTask.task.id) } })
    if (said.length > 0) void this.put(entry, this.answers(said))
    this.aside = [...this.aside, ...out.map((tile) => tile.leasedTask)]
    const staying = tiles.filter((tile) => !said.includes(tile) && !out.includes(tile))
    this.turn(staying)
  }

  /** Takes back the last change of the page; where there is none, the last page. */
  async undo(): Promise<void> {
    const step = this.steps.pop()
    if (!step) return
    const { said } = step
    if (said) this.putBack(step)
    this.change({ tiles: step.tiles.map((tile) => this.withLease(tile)), cluster: step.cluster, phase: 'working', canUndo: this.steps.length > 0 })
    this.focusOn(Math.min(this.state.focus, step.tiles.length - 1))
    if (!said || said.tasks.length === 0) return
    await this.outbox.undo(said.entry, ...said.tasks.map((task) => ({ id: newId(), task, queue: this.queue.id })))
  }

  /** The tiles of this page wait for a later one; those of another cluster are offered by the server again. */
  private putBack(step: Step): void {
    const again = new Set(step.tiles.map((tile) => tile.leasedTask.task.id))
    const { cluster, tiles } = this.state
    const waiting = tiles.map((tile) => tile.leasedTask).filter((leasedTask) => !again.has(leasedTask.task.id))
    const aside = cluster === null ? [...waiting, ...this.aside] : this.aside
    this.aside = aside.filter((leasedTask) => !again.has(leasedTask.task.id))
    this.ready = cluster === step.cluster && cluster !== null ? [...waiting, ...this.ready] : []
  }

  flag(note: string | null): void {
    const tile = this.state.tiles[this.state.focus]
    if (!tile) return
    const said = { id: newId(), task: tile.leasedTask.task.id, queue: this.queue.id }
    const flagged = { ...tile, leasedTask: { ...tile.leasedTask, task: { ...tile.leasedTask.task, flag: note === null ? null : { note } } } }
    this.change({ tiles: this.state.tiles.map((each) => (each === tile ? flagged : each)) })
    void this.attempt(this.outbox.add(note === null ? { ...said, kind: 'unflag', body: null } : { ...said, kind: 'flag', body: { note } }))
  }

  clearNotice(): void {
    this.change({ notice: null })
  }

  /** Renews the leases that are half used, and asks an empty queue again. Call it every second. */
  async tick(now: number): Promise<void> {
    const { phase, emptiness, tiles } = this.state
    if ((phase === 'failed' && this.patience.isOver(now)) || (phase === 'empty' && emptiness && now >= emptiness.at + retryAfter(emptiness))) void this.fill()
    if (document.hidden || this.filling) return
    const leasedTasks = [...tiles.map((tile) => tile.leasedTask), ...this.ready, ...this.aside]
    const due = new Set(leasedTasks.filter((leasedTask) => dueForRenewal(leasedTask.lease, now)).map((leasedTask) => leasedTask.task.cluster ?? ''))
    for (const cluster of due) await this.renew(cluster, leasedTasks.filter((leasedTask) => (leasedTask.task.cluster ?? '') === cluster))
  }

  /** Brings the next page where none is, and leases ahead for the one after it. */
  fill(): Promise<void> {
    this.filling ??= this.fillPages().finally(() => {
      this.filling = null
      const again = this.savedMeanwhile && this.state.phase === 'empty'
      this.savedMeanwhile = false
      if (again) this.fillSoon()
    })
    return this.filling
  }

  private async fillPages(): Promise<void> {
    try {
      if (this.state.cluster !== null) await this.lease(this.state.cluster)
      if (this.state.tiles.length > 0) return
      if (this.ready.length === 0) await this.leaseElsewhere(this.state.cluster)
      const first = this.ready[0]
      if (first) this.change({ cluster: first.task.cluster ?? '' })
      else if (this.aside.length > 0) this.change({ cluster: null })
      this.turn([])
      this.patience.regain()
    } catch (error) {
      this.patience.lose(Date.now())
      this.change({ error, phase: this.state.tiles.length > 0 ? 'working' : 'failed' })
    }
  }

  /** The server may still offer what was just answered and is on its way: then the next largest clusters are asked for. */
  private async leaseElsewhere(last: string | null | undefined): Promise<void> {
    if (last !== undefined) await this.lease(undefined)
    const others = this.state.clusters.flatMap(({ name, todo }) => (name === null || name === last || todo === 0 ? [] : [name]))
    for (const name of others.slice(0, clustersTried)) {
      if (this.ready.length > 0) return
      await this.lease(name)
    }
  }

  /** Leases for this page and the next one. */
  private async lease(cluster: string | undefined): Promise<void> {
    const before = await this.outbox.pendingTasks()
    const mine = this.state.tiles.length + this.aside.length + before.size
    const offer = await this.source.next(this.queue.id, Math.min(mostAtOnce, 2 * this.size + mine), cluster)
    const after = await this.outbox.pendingTasks()
    const known = new Set([...before, ...after, ...this.held().map((leasedTask) => String(leasedTask.task.id))])
    const fresh = offer.leasedTasks.filter((leasedTask) => !known.has(String(leasedTask.task.id)))
    this.ready = [...this.ready, ...fresh]
    this.learn(offer, fresh.length === 0)
  }

  private learn(offer: Offer, nothing: boolean): void {
    const clusters: readonly Cluster[] = offer.clusters ?? this.state.clusters.map((each) => ({ ...each, todo: 0 }))
    const emptiness = nothing ? { leased: offer.leased, nextFrees: offer.nextFrees, at: Date.now() } : null
    this.change({ clusters, emptiness, error: null })
  }

  /** Turns the page: first what stays of the old one, then what was leased ahead. */
  private turn(staying: readonly Tile[]): void {
    const { cluster } = this.state
    const room = this.size - staying.length
    const leasedTasks = cluster === null ? this.aside.splice(0, room) : this.ready.splice(0, room)
    const tiles = [...staying, ...leasedTasks.map((leasedTask) => freshTile(leasedTask, this.queue, cluster === null))]
    this.change({ tiles, focus: 0, anchor: 0, notice: null, phase: tiles.length > 0 ? 'working' : 'empty' })
    this.stopwatch.restart(document.hidden)
    if (tiles.length === 0 || this.ready.length === 0) this.fillSoon()
  }

  /** An empty page that has just been asked for is not asked for again at once. */
  private fillSoon(): void {
    if (this.filling) return
    if (this.state.tiles.length === 0) this.change({ phase: 'filling' })
    void this.fill()
  }

  private edit(change: (tile: Tile) => Tile, moveOn: boolean): void {
    const { tiles, cluster, focus, anchor } = this.state
    if (cluster === undefined || tiles.length === 0) return
    const [first, last] = this.range()
    const edited = tiles.map((tile, place) => (place >= first && place <= last ? change(tile) : tile))
    this.remember({ tiles, cluster, said: null })
    const next = moveOn && focus === anchor ? this.within(focus + 1) : focus
    this.change({ tiles: edited, notice: null, ...(focus === anchor ? { focus: next, anchor: next } : {}) })
  }

  private remember(step: Step): void {
    this.steps = [...this.steps, step].slice(-mostSteps)
    this.change({ canUndo: true })
  }

  private answers(said: readonly Tile[]): PageAnswer[] {
    const seconds = Math.round((this.stopwatch.seconds() / said.length) * 100) / 100
    return said.map(({ leasedTask, value, reason }) => {
      const common = { task: leasedTask.task.id, seconds, lease_token: leasedTask.lease.token }
      if (value !== null) return { ...common, reason: '', ...answerBody(leasedTask.task, value, this.queue) }
      return { ...common, value: null, reason, shown_suggestion: leasedTask.task.suggestion !== null }
    })
  }

  private put(id: string, answers: PageAnswer[]): Promise<void> {
    return this.attempt(this.outbox.add({ id, queue: this.queue.id, kind: 'page', task: null, body: { answers } }))
  }

  private async attempt(adding: Promise<void>): Promise<void> {
    try {
      await adding
    } catch (error) {
      this.change({ notice: error instanceof Error ? error.message : String(error) })
    }
  }

  /** Asking for as many tasks of a cluster as are held renews them all in one call. */
  private async renew(cluster: string, leasedTasks: readonly LeasedTask[]): Promise<void> {
    const now = Date.now()
    try {
      const { leasedTasks: fresh } = await this.source.next(this.queue.id, Math.min(mostAtOnce, leasedTasks.length), cluster)
      this.useLeases(new Map(fresh.map((leasedTask) => [String(leasedTask.task.id), leasedTask.lease])))
    } catch {
      // Not reached: the leases stand as they were and are tried again a little later.
      this.useLeases(new Map(leasedTasks.map((leasedTask) => [String(leasedTask.task.id), { ...leasedTask.lease, taken: now }])))
    }
  }

  private hear(entry: OutboxEntry, outcome: SendOutcome): void {
    if (String(entry.queue) !== String(this.queue.id)) return
    if (outcome.kind === 'undone') {
      this.useLeases(new Map([[String(outcome.task.id), held(outcome.task, this.source.skew, Date.now())]]))
    }
    if (outcome.kind === 'page') this.hearPage(outcome.results)
    if (outcome.kind === 'refused' && entry.kind === 'undo') {
      this.change({ notice: `The last answer could not be undone: ${outcome.detail}` })
    }
  }

  private hearPage(results: Extract<SendOutcome, { kind: 'page' }>['results']): void {
    if (this.filling) this.savedMeanwhile = true
    else if (this.state.phase === 'empty') this.fillSoon()
    const lost = results.filter((result) => result.status === 'lease_lost').length
    if (lost > 0) this.change({ notice: `${lost} of the page had gone to somebody else; your answers were kept as further opinions.` })
  }

  private held(): LeasedTask[] {
    return [...this.state.tiles.map((tile) => tile.leasedTask), ...this.ready, ...this.aside]
  }

  private fresh = new Map<string, LeasedTask['lease']>()

  private useLeases(leases: ReadonlyMap<string, LeasedTask['lease']>): void {
    for (const [task, lease] of leases) this.fresh.set(task, lease)
    const renewed = (leasedTask: LeasedTask): LeasedTask => {
      const lease = leases.get(String(leasedTask.task.id))
      return lease ? { ...leasedTask, lease } : leasedTask
    }
    this.ready = this.ready.map(renewed)
    this.aside = this.aside.map(renewed)
    this.change({ tiles: this.state.tiles.map((tile) => ({ ...tile, leasedTask: renewed(tile.leasedTask) })) })
  }

  /** A tile of an earlier step with the lease that it has by now. */
  private withLease(tile: Tile): Tile {
    const lease = this.fresh.get(String(tile.leasedTask.task.id))
    return lease ? { ...tile, leasedTask: { ...tile.leasedTask, lease } } : tile
  }

  private within(place: number): number {
    return Math.max(0, Math.min(this.state.tiles.length - 1, place))
  }

  private change(part: Partial<GridState>): void {
    this.state = { ...this.state, ...part, clusters: this.withAside(part.clusters ?? this.state.clusters) }
    for (const listener of this.listeners) listener()
  }

  /** The left-out tiles are a cluster of their own, as long as there are any. */
  private withAside(clusters: readonly Cluster[]): readonly Cluster[] {
    const others = clusters.filter(({ name }) => name !== null)
    return this.aside.length === 0 ? others : [...others, { name: null, todo: this.aside.length }]
  }
}
