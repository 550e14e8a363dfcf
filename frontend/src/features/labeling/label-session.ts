import { newId } from '../../shared/api/new-id'
import type { AnswerBody, Id, LabelTask, LabelValue, TaskFacts, Verification } from '../../shared/api/types'
import { held } from './lease'
import type { Outbox, SendOutcome } from './outbox'
import type { OutboxEntry, Saying } from './outbox-store'
import { Patience } from './patience'
import type { TaskSource } from './task-source'
import { type AnsweredTask, isAnswered, type LeasedTask } from './leased-task'
import { Stopwatch } from './stopwatch'
import { namedClasses, sameValue, suggestedValue } from './values'

/** What a session must know of its queue. */
export interface LabelSessionQueue {
  id: Id
  classes: readonly string[]
  /** Whether several classes may be said of one image. */
  several?: boolean
}

/** How an answer was given question by question, and the seconds of all of them. */
export interface Verified {
  verification: Verification
  seconds: number
}

export interface LabelSessionState {
  /** Leased and not yet answered; the first is the one to answer. */
  ahead: LeasedTask[]
  /** Oldest first. */
  past: AnsweredTask[]
  /** How many steps back the annotator is looking: 0 is the present task. */
  lookback: number
  /** `filling` before the first answer, `empty` when others hold what is left, `failed` when the server did not answer. */
  phase: 'filling' | 'working' | 'empty' | 'failed'
  emptiness: { leased: number; nextFrees: number | null; at: number } | null
  error: unknown
  notice: string | null
  /** By task: flags set and taken away on this visit. */
  flags: ReadonlyMap<string, { note: string } | null>
}

const batch = 8
/** The server lends no more in one call. */
const mostAtOnce = 50
const refillBelow = 4
const remembered = 500
/** So few steps before the oldest known answer the ones before it are fetched. */
const fetchAhead = 6

/**
 * One annotator at one queue: what is leased, what was said, what is shown. Holds no React and no DOM.
 *
 * Nothing here waits for the network before the next image: the outbox carries the answer, the source brings more tasks.
 */
export class LabelSession {
  private state: LabelSessionState = {
    ahead: [],
    past: [],
    lookback: 0,
    phase: 'filling',
    emptiness: null,
    error: null,
    notice: null,
    flags: new Map(),
  }
  private readonly listeners = new Set<() => void>()
  private filling = false
  /** More answers wait in the outbox than can be asked past: their tasks are still mine, so no others would come. */
  private crowded = false
  private remembering = false
  /** Where the server's list of earlier answers goes on; undefined before it was asked, null at its end. */
  private earlier: string | null | undefined
  private readonly patience = new Patience()
  readonly stopwatch = new Stopwatch()

  constructor(
    private readonly queue: LabelSessionQueue,
    private readonly outbox: Outbox,
    private readonly source: TaskSource,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): LabelSessionState => this.state

  /** Starts listening to the outbox and fetches the first tasks; the answer stops it. */
  open(): () => void {
    const stop = this.outbox.onOutcome((entry, outcome) => this.hear(entry, outcome))
    void this.fill()
    void this.remember()
    return stop
  }

  /** What the annotator sees: the present task, or one that was answered before. */
  shown(): LeasedTask | AnsweredTask | undefined {
    const { past, lookback, ahead } = this.state
    return lookback > 0 ? past.at(-lookback) : ahead[0]
  }

  /** Answers what is shown and goes on; a label with a class that the queue does not have does nothing. */
  say(value: LabelValue, verified?: Verified): void {
    if (namedClasses(value).every((name) => this.queue.classes.includes(name))) this.tell(value, '', verified)
  }

  acceptSuggestion(): void {
    const shown = this.shown()
    const value = shown ? suggestedValue(shown.task, this.queue.several ?? false) : null
    if (value !== null) this.say(value)
  }

  skip(reason = ''): void {
    this.tell(null, reason)
  }

  /** Takes back the last thing said, whichever task it was about, and shows that task again. */
  async undo(): Promise<void> {
    const last = this.state.past.at(-1)
    if (!last) return
    this.change({
      past: this.state.past.slice(0, -1),
      ahead: [{ task: last.task, lease: last.lease }, ...this.state.ahead],
      lookback: 0,
      phase: 'working',
    })
    this.restartWatch()
    await this.withdraw(last)
  }

  /** Moves back through what was answered, on this visit and before it. */
  look(steps: number): void {
    if (this.state.lookback + steps > this.state.past.length - fetchAhead) void this.remember()
    const lookback = Math.min(Math.max(0, this.state.lookback + steps), this.state.past.length)
    if (lookback === this.state.lookback) return
    this.change({ lookback })
    this.restartWatch()
  }

  /** Shows the task that was answered `back` steps ago; 0 is the present one. */
  lookAt(back: number): void {
    this.look(back - this.state.lookback)
  }

  /** Fetches more of what was answered before, where there is more. */
  async readEarlier(): Promise<void> {
    await this.remember()
  }

  /** Asks for somebody to look at the shown image, or (null) no longer asks. It does not answer the task. */
  flag(note: string | null): void {
    const shown = this.shown()
    if (!shown) return
    const { id: task } = shown.task
    const said = { id: newId(), task, queue: this.queue.id }
    this.change({ flags: new Map(this.state.flags).set(String(task), note === null ? null : { note }) })
    void this.put(note === null ? { ...said, kind: 'unflag', body: null } : { ...said, kind: 'flag', body: { note } })
  }

  /** The flag of a task, as far as this person set one. */
  flagOf({ task }: LeasedTask): { note: string } | null {
    const set = this.state.flags.get(String(task.id))
    return set === undefined ? task.flag : set
  }

  /** Something the annotator should know about what they just tried. */
  remark(notice: string): void {
    this.change({ notice })
  }

  clearNotice(): void {
    this.change({ notice: null })
  }

  /** Renews what is half used, drops what has run out, and asks again where the queue was empty. Call it every second. */
  async tick(now: number): Promise<void> {
    const { phase, emptiness, ahead } = this.state
    if (this.crowded || (phase === 'failed' && this.patience.isOver(now)) || (phase === 'empty' && emptiness && now >= emptiness.at + retryAfter(emptiness))) void this.fill()
    const renewed = await this.source.renewDue(ahead, now)
    if (renewed.size === 0) return
    const gone = (leasedTask: LeasedTask, place: number) => renewed.get(String(leasedTask.task.id)) === 'lost' && place > 0
    if (this.state.ahead[0] && renewed.get(String(this.state.ahead[0].task.id)) === 'lost') {
      this.change({ notice: 'This image is no longer leased to you. If you answered it in another tab, your answer here replaces that one; otherwise it is kept as an extra opinion.' })
    }
    this.change({
      ahead: this.state.ahead.filter((leasedTask, place) => !gone(leasedTask, place)).map((leasedTask) => {
        const lease = renewed.get(String(leasedTask.task.id))
        return lease && lease !== 'lost' ? { ...leasedTask, lease } : leasedTask
      }),
    })
    void this.fill()
  }

  /** Leases more tasks when few are left. */
  async fill(): Promise<void> {
    if (this.filling || this.state.ahead.length >= refillBelow) return
    this.filling = true
    try {
      await this.lease()
      this.patience.regain()
    } catch (error) {
      this.patience.lose(Date.now())
      this.change({ error, phase: this.state.ahead.length > 0 ? 'working' : 'failed' })
    } finally {
      this.filling = false
    }
  }

  private async lease(): Promise<void> {
    // The server offers my live leases first, and those whose answers still wait here are among them: ask past these.
    const pending = await this.outbox.pendingTasks()
    this.crowded = pending.size > mostAtOnce - batch
    if (this.crowded) return
    const answer = await this.source.next(this.queue.id, batch + pending.size)
    // Answers may have been given while the request was on its way.
    const spoken = await this.outbox.pendingTasks()
    const known = new Set([...pending, ...spoken, ...this.state.ahead.map((leasedTask) => String(leasedTask.task.id))])
    const fresh = answer.leasedTasks.filter((leasedTask) => !known.has(String(leasedTask.task.id)) && !this.state.past.some((old) => isSame(old, leasedTask) && !isAskedAgain(old, leasedTask)))
    const ahead = [...this.state.ahead, ...fresh]
    const wasIdle = this.state.ahead.length === 0
    const emptiness = fresh.length === 0 ? { leased: answer.leased, nextFrees: answer.nextFrees, at: Date.now() } : null
    const past = this.state.past.filter((old) => !fresh.some((leasedTask) => isSame(old, leasedTask)))
    this.change({ ahead, past, error: null, phase: ahead.length > 0 ? 'working' : 'empty', emptiness })
    if (wasIdle && fresh.length > 0) this.restartWatch()
  }

  /** Fetches the answers before the oldest one known, so that looking back reaches past this visit. */
  private async remember(): Promise<void> {
    if (this.remembering || this.earlier === null) return
    this.remembering = true
    try {
      const { past, next } = await this.source.earlier(this.queue.id, this.earlier)
      const pending = await this.outbox.pendingTasks()
      const known = new Set([...pending, ...[...this.state.ahead, ...this.state.past].map((leasedTask) => String(leasedTask.task.id))])
      this.earlier = next
      this.change({ past: [...past.filter((each) => !known.has(String(each.task.id))).reverse(), ...this.state.past] })
    } catch {
      // Not reached: what was answered on this visit can be looked at, and the next step back asks again.
    } finally {
      this.remembering = false
    }
  }

  private tell(chosen: LabelValue | null, reason = '', verified?: Verified): void {
    const shown = this.shown()
    if (!shown) return
    if (isAnswered(shown)) {
      void this.correct(shown, chosen, reason)
      return
    }
    const past = this.record(shown, chosen, reason, Promise.resolve(), verified)
    this.change({
      ahead: this.state.ahead.slice(1),
      past: [...this.state.past, past].slice(-remembered),
      notice: null,
      ...(this.state.ahead.length > 1 ? {} : { phase: 'filling' as const }),
    })
    this.restartWatch()
    void this.fill()
  }

  /**
   * Another answer for a task of before: the first is taken back, then the new one follows it through the outbox, and the
   * present image stands there again. The same answer only steps forward.
   */
  private async correct(old: AnsweredTask, chosen: LabelValue | null, reason: string): Promise<void> {
    if (sameValue(old.chosen, chosen) && reason === '') {
      this.look(-1)
      return
    }
    const withdrawn = this.withdraw(old)
    const fresh = this.record(old, chosen, reason, withdrawn)
    this.change({ past: this.state.past.map((each) => (each === old ? fresh : each)) })
    this.lookAt(0)
    await withdrawn
  }

  private record(leasedTask: LeasedTask, chosen: LabelValue | null, reason: string, after: Promise<unknown>, verified?: Verified): AnsweredTask {
    const entry = newId()
    const { task, lease } = leasedTask
    const said = this.words(entry, leasedTask, chosen, reason, verified)
    void after.then(() => this.put(said))
    return { task, lease, chosen, entry }
  }

  private async put(said: Saying): Promise<void> {
    try {
      await this.outbox.add(said)
    } catch (error) {
      this.change({ notice: error instanceof Error ? error.message : String(error) })
    }
  }

  private words(id: string, { task, lease }: LeasedTask, chosen: LabelValue | null, reason: string, verified?: Verified): Saying {
    const said = { id, task: task.id, queue: this.queue.id }
    const seconds = verified?.seconds ?? this.stopwatch.seconds()
    if (chosen === null) {
      const body = { reason, seconds, shown_suggestion: task.suggestion !== null, lease_token: lease.token }
      return { ...said, kind: 'skip', body }
    }
    const verification = verified ? { verification: verified.verification } : {}
    return { ...said, kind: 'answer', body: { ...answerBody(task, chosen, this.queue), ...verification, seconds, lease_token: lease.token } }
  }

  private async withdraw(past: AnsweredTask): Promise<void> {
    await this.outbox.undo(past.entry, { id: newId(), task: past.task.id, queue: this.queue.id })
  }

  private hear(entry: OutboxEntry, outcome: SendOutcome): void {
    if (String(entry.queue) !== String(this.queue.id)) return
    if (this.crowded) void this.fill()
    if (outcome.kind === 'undone') this.useLease(outcome.task)
    if (outcome.kind === 'lease_lost') this.change({ notice: outcome.detail })
    if (outcome.kind === 'refused' && entry.kind === 'undo') {
      this.change({ notice: `The last answer could not be undone: ${outcome.detail}` })
    }
  }

  private useLease(task: LabelTask): void {
    const lease = held(task, this.source.skew, Date.now())
    const renewed = <S extends LeasedTask>(leasedTask: S): S => (String(leasedTask.task.id) === String(task.id) ? { ...leasedTask, lease } : leasedTask)
    this.change({ ahead: this.state.ahead.map(renewed), past: this.state.past.map(renewed) })
  }

  private restartWatch(): void {
    this.stopwatch.restart(document.hidden)
  }

  private change(part: Partial<LabelSessionState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.listeners) listener()
  }
}

function isSame(one: LeasedTask, other: LeasedTask): boolean {
  return String(one.task.id) === String(other.task.id)
}

/** Whether the offer of a task is newer than what was said of it: somebody asks again for what was skipped. */
function isAskedAgain(old: AnsweredTask, offer: LeasedTask): boolean {
  return offer.lease.token > old.lease.token
}

/** ms until an empty queue is asked again: others may answer, and so hand on, what they hold at any moment. */
export function retryAfter({ nextFrees }: { nextFrees: number | null }): number {
  return Math.min(5, Math.max(2, nextFrees ?? 5)) * 1_000
}

/** The label with what is noted of the suggestion: whether it was seen, and what was made of it. */
export function answerBody(task: TaskFacts, value: LabelValue, queue: LabelSessionQueue): Pick<AnswerBody, 'value' | 'shown_suggestion' | 'changed'> {
  const suggested = suggestedValue(task, queue.several ?? false)
  const shown = task.suggestion !== null
  return { value, shown_suggestion: shown, ...(shown ? { changed: !sameValue(suggested, value) } : {}) }
}
