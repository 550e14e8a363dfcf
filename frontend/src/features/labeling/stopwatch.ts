/** Seconds after which a person has gone for a coffee. */
const longestTask = 120

/** Seconds of attention given to one task: stands still while the page is hidden, and counts two minutes at most, unless told otherwise. */
export class Stopwatch {
  private gathered = 0
  /** Of the elapsed time, ms: where the last question ended. */
  private lapped = 0
  private runningSince: number | null = null

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly longest = longestTask,
  ) {}

  restart(hidden: boolean): void {
    this.gathered = 0
    this.lapped = 0
    this.runningSince = hidden ? null : this.now()
  }

  pause(): void {
    this.gathered = this.elapsed()
    this.runningSince = null
  }

  resume(): void {
    this.runningSince ??= this.now()
  }

  seconds(): number {
    return this.counted(this.elapsed())
  }

  /** Seconds since the last lap, or since the start: one of the questions of a task, with the same longest time each. */
  lap(): number {
    const elapsed = this.elapsed()
    const since = elapsed - this.lapped
    this.lapped = elapsed
    return this.counted(since)
  }

  private counted(milliseconds: number): number {
    return Math.round(Math.min(this.longest, milliseconds / 1_000) * 100) / 100
  }

  private elapsed(): number {
    return this.gathered + (this.runningSince === null ? 0 : this.now() - this.runningSince)
  }
}
