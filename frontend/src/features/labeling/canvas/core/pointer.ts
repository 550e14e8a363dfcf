import { pressed, released } from './draft'
import { dragged, withFewerPoints } from './drag'
import type { Editor } from './editor'
import { distance, type Point, snapped } from './geometry'
import { type Hit, hitSelected, hitShape } from './hit'
import type { Shape } from './shapes'
import { toImage } from './view'

/** What was held when the pointer went down. */
export interface PointerModifiers {
  /** Space, or the middle button: moves the image whatever the tool. */
  pan: boolean
  alt: boolean
  finger: boolean
}

interface Press {
  at: Point
  last: Point
  /** Gone further than a slip of the hand. */
  far: boolean
  does: { kind: 'nothing' } | { kind: 'pan'; deselects: boolean } | { kind: 'draw' } | { kind: 'drag'; shape: Shape; hit: Hit; else: number | null }
}

const slipPx = 3

/** Turns what a pointer does, in screen pixels of the stage, into what happens to the shapes. */
export class PointerControl {
  private press: Press | null = null

  constructor(private readonly editor: Editor) {}

  get busy(): boolean {
    return this.press !== null
  }

  down(at: Point, held: PointerModifiers): void {
    this.editor.pointWith(held.finger ? 'finger' : 'mouse')
    const does = held.pan ? { kind: 'pan' as const, deselects: false } : this.begin(at, held)
    this.press = { at, last: at, far: false, does }
  }

  move(at: Point): void {
    const { press, editor } = this
    if (!press) {
      editor.setCursor(this.image(at))
      return
    }
    press.far ||= distance(press.at, at) > slipPx
    if (press.does.kind === 'draw') editor.setCursor(this.image(at))
    else if (press.far && press.does.kind === 'pan') editor.pan({ x: at.x - press.last.x, y: at.y - press.last.y })
    else if (press.far && press.does.kind === 'drag') this.drag(press.does, press.at, at)
    press.last = at
  }

  up(at: Point): void {
    const { press, editor } = this
    this.press = null
    if (!press) return
    const { does } = press
    if (does.kind === 'draw') this.endDrawing(at, !press.far)
    else if (does.kind === 'drag' && press.far) editor.put(editor.selectedShape() ?? does.shape)
    else if (does.kind === 'drag' && does.hit.on === 'shape') editor.select(does.else)
    else if (does.kind === 'pan' && does.deselects && !press.far) editor.select(null)
  }

  /** The browser took the pointer away: as if nothing had been dragged. */
  cancel(): void {
    this.press = null
    this.editor.setLive(null)
  }

  /** What lies under the pointer, for its form. */
  hover(at: Point): Hit | null {
    const { tool, changes } = this.editor.snapshot()
    if (tool !== 'select' || changes === 'none') return null
    const point = this.image(at)
    const selected = this.editor.selectedShape()
    const index = changes === 'all' ? this.editor.index() : this.editor.indexOf(selected ? [selected] : [])
    return (selected && hitSelected(selected, point, this.editor.reach)) ?? hitShape(index, point, this.editor.reach)
  }

  private begin(at: Point, held: PointerModifiers): Press['does'] {
    const { editor } = this
    const { tool, draft, hidden } = editor.snapshot()
    if (tool !== 'select') {
      const point = snapped(this.image(at), editor.size)
      editor.step(pressed(draft, tool, point, editor.reach))
      return { kind: 'draw' }
    }
    return (hidden ? null : this.grab(this.image(at), held)) ?? { kind: 'pan', deselects: editor.snapshot().changes === 'all' }
  }

  /** Handles and points of the selected shape come first; then the selected shape itself may be dragged by what lies over it. */
  private grab(point: Point, held: PointerModifiers): Press['does'] | null {
    const { editor } = this
    const selected = editor.selectedShape()
    const { changes } = editor.snapshot()
    if (changes === 'none') return null
    const part = selected && hitSelected(selected, point, editor.reach)
    if (selected && part) return held.alt && part.on === 'vertex' ? this.drop(selected, part.place) : this.take(selected, part)
    const hit = changes === 'all' ? hitShape(editor.index(), point, editor.reach) : selected && hitShape(editor.indexOf([selected]), point, editor.reach)
    if (!hit) return null
    const under = editor.snapshot().shapes.find((shape) => shape.id === hit.id)
    if (!under) return null
    const holdsSelected = selected !== null && selected.id !== under.id && hitAlone(selected, point, editor)
    if (!holdsSelected) editor.select(under.id)
    return { kind: 'drag', shape: holdsSelected ? selected : under, hit, else: under.id }
  }

  private take(shape: Shape, hit: Hit): Press['does'] {
    this.editor.select(shape.id, hit.on === 'vertex' ? hit.place : null)
    return { kind: 'drag', shape, hit, else: shape.id }
  }

  /** Alt with a click on a point of a polygon takes the point away. */
  private drop(shape: Shape, place: number): Press['does'] {
    if (shape.kind === 'polygon') this.editor.put(withFewerPoints(shape, place))
    return { kind: 'nothing' }
  }

  private drag(does: Press['does'] & { kind: 'drag' }, from: Point, to: Point): void {
    const hit = does.hit.on === 'shape' ? { ...does.hit, id: does.shape.id } : does.hit
    this.editor.setLive(dragged(does.shape, hit, this.image(from), this.image(to), this.editor.size))
  }

  private endDrawing(at: Point, slip: boolean): void {
    const { draft } = this.editor.snapshot()
    if (draft?.tool === 'box') this.editor.step(released(draft, snapped(this.image(at), this.editor.size), slip))
  }

  private image(at: Point): Point {
    return toImage(this.editor.snapshot().view, at)
  }
}

/** Whether the point lies on or in this shape, whatever lies over it. */
function hitAlone(shape: Shape, point: Point, editor: Editor): boolean {
  return hitShape(editor.indexOf([shape]), point, editor.reach) !== null
}
