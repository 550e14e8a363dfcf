const first = 1_000
const longest = 30_000

/** ms until something is tried again that has failed so many times before. */
export function waitAfter(failures: number): number {
  return Math.min(first * 2 ** failures, longest)
}

/** When a page asks again for what it did not get: soon, then ever later, so that one left open asks little. */
export class Patience {
  private failures = 0
  private next = 0

  lose(now: number): void {
    this.next = now + waitAfter(this.failures)
    this.failures += 1
  }

  regain(): void {
    this.failures = 0
  }

  isOver(now: number): boolean {
    return now >= this.next
  }
}
