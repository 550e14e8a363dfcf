import type { Editor } from '../editor'
import { distance, type Point } from '../geometry'
import type { PointerControl, PointerModifiers } from './pointer'

/** Fingers on the stage, in its screen pixels: one is a pointer; two move the image and zoom it. */
export class FingerControl {
  private readonly down = new Map<number, Point>()
  /** A second finger came: until all are lifted they move the image and draw nothing. */
  private together = false

  constructor(
    private readonly editor: Editor,
    private readonly pointer: PointerControl,
  ) {}

  get touching(): boolean {
    return this.down.size > 0
  }

  press(finger: number, at: Point, held: PointerModifiers): void {
    this.down.set(finger, at)
    if (this.down.size === 1) this.pointer.down(at, held)
    else if (!this.together) {
      this.together = true
      this.pointer.cancel()
    }
  }

  move(finger: number, at: Point): void {
    if (!this.down.has(finger)) return
    const before = this.pair()
    this.down.set(finger, at)
    if (!this.together) this.pointer.move(at)
    else if (before) this.pinch(before, this.pair() ?? before)
  }

  lift(finger: number, at: Point): void {
    if (this.down.has(finger) && !this.together) this.pointer.up(at)
    this.forget(finger)
  }

  /** The browser took the finger away. */
  cancel(finger: number): void {
    if (this.down.has(finger) && !this.together) this.pointer.cancel()
    this.forget(finger)
  }

  private forget(finger: number): void {
    this.down.delete(finger)
    if (this.down.size === 0) this.together = false
  }

  private pair(): [Point, Point] | null {
    const [a, b] = [...this.down.values()]
    return a && b ? [a, b] : null
  }

  /** What was under the two fingers stays under them. */
  private pinch(before: [Point, Point], now: [Point, Point]): void {
    const [from, to] = [middle(before), middle(now)]
    this.editor.viewport.pan({ x: to.x - from.x, y: to.y - from.y })
    const apart = distance(...before)
    if (apart > 0) this.editor.viewport.zoom(distance(...now) / apart, to)
  }
}

function middle([a, b]: [Point, Point]): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}
