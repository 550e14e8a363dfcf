import type { Standing } from '../../shared/access/speaker'
import { newId } from '../../shared/api/new-id'
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
  /** Who decided it: nobody else's session sends it. null: before anybody was known to be signed in. */
  by?: string | null
  /** Why the server said no; null while it waits. */
  refused: string | null
}

/** `review` is as the server has it now; null where it could not be read. */
export type DecisionOutcome = { kind: 'saved'; review: Review } | { kind: 'refused'; detail: string; review: Review | null } | { kind: 'unreachable' } | { kind: 'signed_out' }

export interface DecisionsState {
  /** Of who is signed in. */
  entries: readonly DecisionEntry[]
  /** What others decided on this computer and the server has not heard: it waits until they sign in. */
  others: { by: string; count: number }[]
  /** Why nothing is being sent although something waits. */
  held: 'offline' | 'signed_out' | null
}

/** Where decisions wait between two visits; every tab has the same. */
export interface Shelf {
  load: () => DecisionEntry[]
  keep: (entries: readonly DecisionEntry[]) => void
}

const firstRetry = 1_000
const longestRetry = 30_000

/** Sends decisions one by one in the order they were made, again and again until the server has said yes or no. */
export class Decisions {
  private all: readonly DecisionEntry[]
  private state: DecisionsState
  private person: string | null = null
  private readonly listeners = new Set<() => void>()
  private readonly hearers = new Set<(review: Review) => void>()
  private sending = false
  private failures = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  /** What has left this computer at least once, so that taking it back is for the server to do. */
  private readonly begun = new Set<string>()
  /** What this tab has ever had: the rest of the shelf is for others to change. */
  private readonly known = new Set<string>()

  constructor(
    private readonly shelf: Shelf,
    private readonly send: (entry: DecisionEntry) => Promise<DecisionOutcome>,
    private readonly standing: (person: string) => Promise<Standing> = () => Promise.resolve('still'),
  ) {
    this.all = shelf.load()
    for (const { id } of this.all) {
      this.begun.add(id)
      this.known.add(id)
    }
    this.state = { ...this.shares(), held: null }
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

  /** Who is signed in: what they decide is theirs, and what they decided before is sent now. */
  async speakAs(person: string): Promise<void> {
    this.person = person
    this.change(this.all)
    await this.drain()
  }

  add(decision: Decision & { words: string }): void {
    const others = this.all.filter((entry) => entry.review !== decision.review || entry.refused === null || !this.isMine(entry))
    const id = newId()
    this.known.add(id)
    this.change([...others, { ...decision, id, by: this.person, refused: null }])
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
    this.change(this.all.filter((entry) => entry.id !== id))
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
    return this.state.entries.find((entry) => entry.refused === null && this.isMine(entry))
  }

  private async settle(entry: DecisionEntry): Promise<boolean> {
    // Another tab may have signed somebody else in: the page hears of it too, and says as whom to speak now.
    const { person } = this
    const standing = person === null ? 'still' : await this.standing(person)
    if (this.person !== person) return true
    if (standing === 'another' || standing === 'signed_out') return this.hold('signed_out')
    this.begun.add(entry.id)
    const outcome: DecisionOutcome = standing === 'unreachable' ? { kind: standing } : await this.send(entry)
    switch (outcome.kind) {
      case 'signed_out':
        return this.hold(outcome.kind)
      case 'unreachable':
        this.timer = setTimeout(() => void this.drain(), Math.min(firstRetry * 2 ** this.failures, longestRetry))
        this.failures += 1
        return this.hold('offline')
    }
    this.failures = 0
    if (outcome.kind === 'refused') this.refuse(entry.id, outcome.detail)
    else this.forget(entry.id)
    this.change(this.all, null)
    const { review } = outcome
    if (review !== null) for (const hear of this.hearers) hear(review)
    return true
  }

  private refuse(id: string, detail: string): void {
    this.change(this.all.map((entry) => (entry.id === id ? { ...entry, refused: detail } : entry)))
  }

  private hold(why: 'offline' | 'signed_out'): false {
    this.change(this.all, why)
    return false
  }

  private isMine({ by }: DecisionEntry): boolean {
    return !by || by === this.person
  }

  private shares(): Pick<DecisionsState, 'entries' | 'others'> {
    // Before it is known who is signed in, whatever waits counts as waiting.
    if (this.person === null) return { entries: this.all, others: [] }
    const others = new Map<string, number>()
    for (const { by } of this.all) if (by && by !== this.person) others.set(by, (others.get(by) ?? 0) + 1)
    return { entries: this.all.filter((entry) => this.isMine(entry)), others: [...others].map(([by, count]) => ({ by, count })) }
  }

  private change(all: readonly DecisionEntry[], held = this.state.held): void {
    this.all = all
    this.state = { ...this.shares(), held }
    this.shelf.keep([...this.shelf.load().filter(({ id }) => !this.known.has(id)), ...all])
    for (const listener of this.listeners) listener()
  }
}
