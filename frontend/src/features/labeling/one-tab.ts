/** Whether this tab labels the queue, or another tab of this browser does. */
export type Hold = 'asking' | 'here' | 'elsewhere'

/** ms until a lock that was not given counts as held by another tab. */
const patience = 250

/**
 * One tab of a browser labels a queue at a time: the server leases to a person, so that a second tab would be given the same
 * images. A tab that waits goes on by itself when the other one is closed.
 */
export class OneTab {
  private state: Hold = 'asking'
  private readonly listeners = new Set<() => void>()
  private visit = new AbortController()
  private release: (() => void) | null = null

  /** `locks` is undefined where the page came over plain HTTP from another machine: then nobody can know, and all label. */
  constructor(
    private readonly name: string,
    private readonly locks: LockManager | undefined,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): Hold => this.state

  /** Asks for the queue; the answer gives it back. */
  open(): () => void {
    const visit = new AbortController()
    this.visit = visit
    const late = setTimeout(() => this.state === 'asking' && this.change('elsewhere'), patience)
    void this.hold(visit, { signal: visit.signal })
    return () => {
      clearTimeout(late)
      visit.abort()
      this.release?.()
      this.change('asking')
    }
  }

  /** Labels here: the other tab stops. */
  takeOver(): void {
    void this.hold(this.visit, { steal: true })
  }

  private async hold(visit: AbortController, options: LockOptions): Promise<void> {
    if (!this.locks) {
      this.change('here')
      return
    }
    try {
      await this.locks.request(this.name, options, () => this.work(visit))
    } catch {
      if (visit.signal.aborted) return
      // Another tab took over: this one waits until that is closed.
      this.change('elsewhere')
      void this.hold(visit, { signal: visit.signal })
    }
  }

  private work(visit: AbortController): Promise<void> {
    if (visit.signal.aborted) return Promise.resolve()
    this.change('here')
    return new Promise((resolve) => {
      this.release = resolve
    })
  }

  private change(state: Hold): void {
    if (state === this.state) return
    this.state = state
    for (const listener of this.listeners) listener()
  }
}
