import { pressed, released } from '../draft'
import type { Editor } from '../editor'
import type { EditorState } from '../editor-state'
import { cornersOf, distance, type Point, snapped } from '../geometry'
import { type Hit, hitSelected, hitShape } from '../hit'
import { noShapes, type Selection, withAll } from '../selection'
import { movedTogether, type Shape } from '../shapes'
import { toImage } from '../view'
import { dragged, withFewerPoints } from './drag'

/** What was held when the pointer went down. */
export interface PointerModifiers {
  /** Space, or the middle button: moves the image whatever the tool. */
  pan: boolean
  alt: boolean
  /** Shift: adds to the selection. */
  adds: boolean
  finger: boolean
}

interface Press {
  at: Point
  last: Point
  /** Gone further than a slip of the hand. */
  far: boolean
  finger: boolean
  /** What the editor held, should the press be taken back. */
  before: EditorState
  does: Deed
}

type Deed =
  | { kind: 'nothing' }
  | { kind: 'pan'; deselects: boolean }
  | { kind: 'draw' }
  /** A finger hides what it points at, so its point is set where it is lifted. */
  | { kind: 'point' }
  | { kind: 'drag'; shapes: readonly Shape[]; hit: Hit; clicked: () => void }
  /** A drag draws the marquee, a click adds what lies under it or takes it away. */
  | { kind: 'gather'; under: number | null; selected: Selection }

const slipPx = 3
const fingerSlipPx = 10
const nothing: Deed = { kind: 'nothing' }

/** Turns what a pointer does, in screen pixels of the stage, into what happens to the shapes. */
export class PointerControl {
  private press: Press | null = null

  constructor(private readonly editor: Editor) {}

  down(at: Point, held: PointerModifiers): void {
    this.editor.pointWith(held.finger ? 'finger' : 'mouse')
    const before = this.editor.snapshot()
    const does: Deed = held.pan ? { kind: 'pan', deselects: false } : this.begin(at, held)
    this.press = { at, last: at, far: false, finger: held.finger, before, does }
  }

  move(at: Point): void {
    const { press, editor } = this
    if (!press) {
      editor.setCursor(this.image(at))
      return
    }
    const { does } = press
    press.far ||= distance(press.at, at) > (press.finger ? fingerSlipPx : slipPx)
    if (does.kind === 'draw' || does.kind === 'point') editor.setCursor(this.image(at))
    else if (press.far && does.kind === 'pan') editor.viewport.pan({ x: at.x - press.last.x, y: at.y - press.last.y })
    else if (press.far && does.kind === 'drag') this.drag(does, press.at, at)
    else if (press.far && does.kind === 'gather') editor.setMarquee(cornersOf(this.image(press.at), this.image(at)), does.selected)
    press.last = at
  }

  up(at: Point): void {
    const { press, editor } = this
    this.press = null
    if (!press) return
    const { does, far } = press
    if (does.kind === 'draw') this.endDrawing(at, !far)
    else if (does.kind === 'point') this.draw(at)
    else if (does.kind === 'drag') {
      if (far) editor.putAll(editor.snapshot().live ?? does.shapes)
      else does.clicked()
    } else if (does.kind === 'gather') {
      if (far) editor.setMarquee(null, noShapes)
      else if (does.under !== null) editor.toggle(does.under)
    } else if (does.kind === 'pan' && does.deselects) {
      if (far) editor.missed()
      else editor.select(null)
    }
  }

  /** The browser or a second finger took the pointer away: as if it had never come down. */
  cancel(): void {
    if (this.press) this.editor.takeBack(this.press.before)
    this.press = null
  }

  /** A finger has rested where it came down: the shape under it joins the selection, and so does what is pressed next. */
  hold(): void {
    const { press, editor } = this
    const { tool, changes, several } = editor.snapshot()
    if (!press || press.far || tool !== 'select' || changes !== 'all' || several) return
    const hit = hitShape(editor.index(), this.image(press.at), editor.reach)
    if (!hit) return
    editor.selectMany(withAll(press.before.selected, [hit.id]))
    editor.selectSeveral(true)
    press.does = nothing
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

  private begin(at: Point, held: PointerModifiers): Deed {
    const { editor } = this
    const { tool, hidden, changes, several } = editor.snapshot()
    if (tool !== 'select') {
      if (held.finger) editor.setCursor(this.image(at))
      if (held.finger && tool !== 'box') return { kind: 'point' }
      this.draw(at)
      return { kind: 'draw' }
    }
    const adds = (held.adds || several) && changes === 'all'
    const deed = hidden || changes === 'none' ? null : adds ? this.gather(this.image(at), held) : this.grab(this.image(at), held)
    return deed ?? { kind: 'pan', deselects: changes === 'all' && !adds }
  }

  private draw(at: Point): void {
    const { tool, draft } = this.editor.snapshot()
    if (tool !== 'select') this.editor.step(pressed(draft, tool, snapped(this.image(at), this.editor.size), this.editor.reach))
  }

  /** Without Shift a selected shape can still be dragged, and the others with it. */
  private gather(point: Point, held: PointerModifiers): Deed {
    const { editor } = this
    const { selected } = editor.snapshot()
    const hit = hitShape(editor.index(), point, editor.reach)
    if (hit && !held.adds && selected.includes(hit.id)) {
      return { kind: 'drag', shapes: editor.selectedShapes(), hit, clicked: () => editor.toggle(hit.id) }
    }
    return { kind: 'gather', under: hit?.id ?? null, selected }
  }

  /** Handles and points of the selected shape come first; then what is selected may be dragged by what lies over it. */
  private grab(point: Point, held: PointerModifiers): Deed | null {
    const { editor } = this
    const selected = editor.selectedShape()
    const part = selected && hitSelected(selected, point, editor.reach)
    if (selected && part) return held.alt && part.on === 'vertex' ? this.drop(selected, part.place) : this.take(selected, part)
    const shapes = editor.selectedShapes()
    const { changes } = editor.snapshot()
    const hit = hitShape(changes === 'all' ? editor.index() : editor.indexOf(shapes), point, editor.reach)
    const under = hit && editor.snapshot().shapes.find((shape) => shape.id === hit.id)
    if (!under) return null
    const holds = hitShape(editor.indexOf(shapes), point, editor.reach) !== null
    if (!holds) editor.select(under.id)
    return { kind: 'drag', shapes: holds ? shapes : [under], hit, clicked: () => editor.select(under.id) }
  }

  private take(shape: Shape, hit: Hit): Deed {
    this.editor.select(shape.id, hit.on === 'vertex' ? hit.place : null)
    return { kind: 'drag', shapes: [shape], hit, clicked: () => undefined }
  }

  /** Alt with a click on a point of a polygon takes the point away. */
  private drop(shape: Shape, place: number): Deed {
    if (shape.kind === 'polygon') this.editor.put(withFewerPoints(shape, place))
    return nothing
  }

  private drag({ shapes, hit }: Deed & { kind: 'drag' }, start: Point, end: Point): void {
    const [from, to] = [this.image(start), this.image(end)]
    const { size } = this.editor
    const by = { x: Math.round(to.x - from.x), y: Math.round(to.y - from.y) }
    this.editor.setLive(hit.on === 'shape' ? movedTogether(shapes, by, size) : shapes.map((shape) => dragged(shape, hit, to, size)))
  }

  private endDrawing(at: Point, slip: boolean): void {
    const { draft } = this.editor.snapshot()
    if (draft?.tool === 'box') this.editor.step(released(draft, snapped(this.image(at), this.editor.size), slip))
  }

  private image(at: Point): Point {
    return toImage(this.editor.snapshot().view, at)
  }
}
