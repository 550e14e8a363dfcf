import type { LabelValue } from '../../shared/api/types'
import type { Review } from './types'

export interface Decision {
  review: number
  value: LabelValue
  reason: string
  /** The answer that was taken as it is, if one was. */
  answer: number | null
}

export interface DecisionEntry extends Decision {
  /** Its idempotency key: the same decision sent twice is carried out once. */
  id: string
  /** What stands on the list of those that were refused: `train-004.png: nut`. */
  words: string
  /** Why the server said no; null while it waits. */
  refused: string | null
}

/** `review` is as the server has it now; null where it could not be read. */
export type DecisionOutcome = { kind: 'saved'; review: Review } | { kind: 'refused'; detail: string; review: Review | null } | { kind: 'unreachable' }

export interface DecisionsState {
  entries: readonly DecisionEntry[]
  /** Something waits and the server cannot be had. */
  held: boolean
}

/** Where decisions wait between two visits. */
export interface Shelf {
  load: () => DecisionEntry[]
  keep: (entries: readonly DecisionEntry[]) => void
}

const firstRetry = 1_000
const longestRetry = 30_000

/** Sends decisions one by one in the order they were made, again and again until the server has said yes or no. */
export class Decisions {
  private state: DecisionsState
  private readonly listeners = new Set<() => void>()
  private readonly hearers = new Set<(review: Review) => void>()
  private sending = false
  private failures = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  /** What has left this computer at least once, so that taking it back is for the server to do. */
  private readonly begun = new Set<string>()

  constructor(
    private readonly shelf: Shelf,
    private readonly send: (entry: DecisionEntry) => Promise<DecisionOutcome>,
  ) {
    this.state = { entries: shelf.load(), held: false }
    for (const { id } of this.state.entries) this.begun.add(id)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): DecisionsState => this.state

  /** Hears of every review that the server has answered for. */
  onNews(hearer: (review: Review) => void): () => void {
    this.hearers.add(hearer)
    return () => this.hearers.delete(hearer)
  }

  add(decision: Decision & { words: string }): void {
    const others = this.state.entries.filter(({ review, refused }) => review !== decision.review || refused === null)
    this.change({ entries: [...others, { ...decision, id: crypto.randomUUID(), refused: null }] })
    void this.drain()
  }

  /** Takes back what has not left this computer yet; false when the server may know of it. */
  withdraw(review: number): boolean {
    const entry = this.state.entries.findLast((each) => each.review === review)
    if (!entry || (entry.refused === null && this.begun.has(entry.id))) return false
    this.forget(entry.id)
    return true
  }

  forget(id: string): void {
    this.change({ entries: this.state.entries.filter((entry) => entry.id !== id) })
  }

  async drain(): Promise<void> {
    if (this.sending) return
    this.sending = true
    clearTimeout(this.timer)
    try {
      for (let next = this.waiting(); next; next = this.waiting()) {
        if (!(await this.settle(next))) break
      }
    } finally {
      this.sending = false
    }
  }

  private waiting(): DecisionEntry | undefined {
    return this.state.entries.find(({ refused }) => refused === null)
  }

  private async settle(entry: DecisionEntry): Promise<boolean> {
    this.begun.add(entry.id)
    const outcome = await this.send(entry)
    if (outcome.kind === 'unreachable') {
      this.change({ held: true })
      this.timer = setTimeout(() => void this.drain(), Math.min(firstRetry * 2 ** this.failures, longestRetry))
      this.failures += 1
      return false
    }
    this.failures = 0
    if (outcome.kind === 'refused') this.refuse(entry.id, outcome.detail)
    else this.forget(entry.id)
    this.change({ held: false })
    const { review } = outcome
    if (review !== null) for (const hear of this.hearers) hear(review)
    return true
  }

  private refuse(id: string, detail: string): void {
    this.change({ entries: this.state.entries.map((entry) => (entry.id === id ? { ...entry, refused: detail } : entry)) })
  }

  private change(part: Partial<DecisionsState>): void {
    this.state = { ...this.state, ...part }
    this.shelf.keep(this.state.entries)
    for (const listener of this.listeners) listener()
  }
}
