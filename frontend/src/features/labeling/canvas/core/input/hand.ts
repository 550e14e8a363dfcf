import type { Editor } from '../editor'
import type { Point } from '../geometry'
import { toScreen } from '../view'
import { FingerControl } from './fingers'
import { PointerControl, type PointerModifiers } from './pointer'

type Place = readonly [x: number, y: number]
type Held = Partial<PointerModifiers>

/** A hand at an editor that knows image pixels, for tests. */
export function handAt(editor: Editor) {
  const pointer = new PointerControl(editor)
  const fingers = new FingerControl(editor, pointer)
  const at = ([x, y]: Place): Point => toScreen(editor.snapshot().view, { x, y })
  const down = (place: Place, held: Held) => {
    if (held.finger !== true) pointer.move(at(place))
    pointer.down(at(place), { pan: false, alt: false, adds: false, finger: false, ...held })
  }
  const drag = (from: Place, to: Place, held: Held = {}) => {
    down(from, held)
    pointer.move(at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]))
    pointer.move(at(to))
    pointer.up(at(to))
  }
  const click = (x: number, y: number, held: Held = {}) => {
    down([x, y], held)
    pointer.up(at([x, y]))
  }
  const hold = (x: number, y: number) => {
    down([x, y], { finger: true })
    pointer.hold()
    pointer.up(at([x, y]))
  }
  /** Two fingers from a and b to c and d, where these are on the screen before. */
  const pinch = (a: Place, b: Place, c: Place, d: Place) => {
    const places = [a, b, c, d].map(at) as [Point, Point, Point, Point]
    const held = { pan: false, alt: false, adds: false, finger: true }
    fingers.press(1, places[0], held)
    fingers.press(2, places[1], held)
    fingers.move(1, places[2])
    fingers.move(2, places[3])
    fingers.lift(1, places[2])
    fingers.lift(2, places[3])
  }
  return { drag, click, hold, pinch, hover: (...place: Place) => pointer.hover(at(place)) }
}
