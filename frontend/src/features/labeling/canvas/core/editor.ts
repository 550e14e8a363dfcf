import * as drafts from './draft'
import type { ShapeDraft, DraftStep } from './draft'
import { withFewerPoints } from './drag'
import { type Corners, type Point, type Size, snapped } from './geometry'
import { GridIndex } from './grid-index'
import * as histories from './history'
import { byDoubt, extent, fittedTo, grown, isSound, moved, type Outline, type Shape } from './shapes'
import type { EditorTool } from './tools'
import type { EditorPreferences } from './editor-preferences'
import { bringIntoView, fit, panned, type CanvasView, zoomAt, zoomTo } from './view'

export interface EditorState {
  readonly shapes: readonly Shape[]
  readonly selected: number | null
  /** A point of the selected polygon. */
  readonly vertex: number | null
  readonly tool: EditorTool
  readonly nextClass: string
  readonly draft: ShapeDraft | null
  /** Why the draft could not be ended. */
  readonly refusal: string | null
  /** The selected shape while it is dragged; `shapes` still has it as it was. */
  readonly live: Shape | null
  /** Where the crosshair is, in image pixels. */
  readonly cursor: Point
  readonly view: CanvasView
  readonly hidden: boolean
  readonly names: boolean
  /** Which shapes the pointer may change and select. */
  readonly changes: 'all' | 'selected' | 'none'
}

/** Around a shape that is asked about there is twice as much of the image as of the shape. */
const contextShare = 1
const zoomStep = 1.25
const pasteOffset: Point = { x: 10, y: 10 }
/** How near, in screen pixels, is on it: for a pointer, and for a finger. */
const reachPx = 8
const fingerPx = 22

/**
 * One image's shapes and what a person does to them. Knows neither React nor the DOM.
 *
 * Pointer positions come through `PointerControl`; everything else is a method here. Each method that changes shapes is one
 * entry of the history.
 */
export class Editor {
  private history: histories.History<readonly Shape[]>
  private state: EditorState
  private lastId: number
  private found: { shapes: readonly Shape[]; index: GridIndex } | null = null
  /** The pointer is a finger, which hides what it points at. */
  private finger = false
  /** Arrow keys have moved the crosshair since the last point. */
  private keyed = false
  private fitted = true
  /** What stays in the middle when the room changes; null for the whole image, or wherever a person went. */
  private framed: Corners | null = null
  private readonly listeners = new Set<() => void>()

  constructor(
    readonly size: Size,
    shapes: readonly Shape[],
    private readonly preferences: EditorPreferences,
  ) {
    this.history = histories.begin(shapes)
    this.lastId = Math.max(0, ...shapes.map((shape) => shape.id))
    const { tool, nextClass, names } = preferences
    const cursor = snapped({ x: size.width / 2, y: size.height / 2 }, size)
    const view = fit(size, preferences.room)
    this.state = { shapes, selected: null, vertex: null, tool, nextClass, draft: null, refusal: null, live: null, cursor, view, hidden: false, names, changes: 'all' }
    this.selectDoubtful()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): EditorState => this.state

  get canUndo(): boolean {
    return this.history.past.length > 0
  }

  get canRedo(): boolean {
    return this.history.future.length > 0
  }

  get reach(): number {
    return (this.finger ? fingerPx : reachPx) / this.state.view.scale
  }

  pointWith(pointer: 'finger' | 'mouse'): void {
    this.finger = pointer === 'finger'
  }

  index(): GridIndex {
    const { shapes } = this.state
    if (this.found?.shapes !== shapes) this.found = { shapes, index: this.indexOf(shapes) }
    return this.found.index
  }

  indexOf(shapes: readonly Shape[]): GridIndex {
    return new GridIndex(shapes, Math.max(this.size.width, this.size.height))
  }

  selectedShape(): Shape | null {
    return this.state.live ?? this.state.shapes.find((shape) => shape.id === this.state.selected) ?? null
  }

  /** What is neither confirmed nor deleted. */
  undecided(): readonly Shape[] {
    return this.state.shapes.filter((shape) => !shape.confirmed)
  }

  // Tools

  useTool(tool: EditorTool): void {
    if (tool !== 'select') this.preferences.lastTool = tool
    this.preferences.tool = tool
    this.change({ tool, draft: null, refusal: null, live: null, vertex: null, ...(tool === 'select' ? {} : { selected: null }) })
  }

  repeatTool(): void {
    this.useTool(this.preferences.lastTool)
  }

  /** One step back: out of the draft, out of the selection, out of the tool. False when there was nothing to leave. */
  escape(): boolean {
    const { draft, live, tool, selected } = this.state
    if (draft || live) this.change({ draft: null, refusal: null, live: null })
    else if (selected !== null) this.select(null)
    else if (tool !== 'select') this.useTool('select')
    else return false
    return true
  }

  // Drawing

  setCursor(cursor: Point): void {
    this.keyed = false
    this.moveCursor(cursor)
  }

  step(step: DraftStep): void {
    this.keyed = false
    if (step.done) this.draw(step.done)
    else this.change({ draft: step.draft, refusal: step.refused ?? null })
  }

  setLive(live: Shape | null): void {
    this.change({ live })
  }

  /** Enter: begins, continues or ends what the tool draws at the crosshair. False while no drawing tool is taken up. */
  enter(): boolean {
    const { tool, draft, cursor } = this.state
    if (tool === 'select') return false
    const closing = !this.keyed
    this.step(drafts.entered(draft, tool, cursor, closing))
    return true
  }

  /** A new shape of the next class; its tool stays taken up. */
  draw(outline: Outline): void {
    const shape: Shape = { ...outline, id: this.freshId(), class: this.state.nextClass, confirmed: true, score: null }
    this.change({ draft: null, refusal: null })
    this.record([...this.state.shapes, shape], { selected: shape.id })
  }

  // Changing

  /** The shape in place of the one with its id, confirmed: who corrects a suggestion has looked at it. */
  put(shape: Shape, gesture: string | null = null): void {
    const old = this.state.shapes.find((each) => each.id === shape.id)
    const sound = fittedTo(shape, this.size)
    this.change({ live: null })
    if (!old || !sound || old === shape) return
    this.record(this.state.shapes.map((each) => (each === old ? { ...sound, confirmed: true } : each)), {}, gesture)
  }

  /** By image pixels: moves the selected shape, or makes it larger; with a drawing tool it moves the crosshair. */
  nudge(by: Point, grow: boolean): boolean {
    const { tool, cursor } = this.state
    if (tool !== 'select') {
      this.moveCursor({ x: cursor.x + by.x, y: cursor.y + by.y })
      this.keyed = true
      this.bring([this.state.cursor.x, this.state.cursor.y, this.state.cursor.x, this.state.cursor.y])
      return true
    }
    const shape = this.selectedShape()
    if (!shape) return false
    this.put(grow ? grown(shape, by, this.size) : moved(shape, by, this.size), `${grow ? 'grow' : 'nudge'} ${shape.id}`)
    return true
  }

  /** The shape as it was, selected: also one that was deleted meanwhile. */
  restore(shape: Shape): void {
    const others = this.state.shapes.filter((each) => each.id !== shape.id)
    this.record([...others, shape].toSorted((a, b) => a.id - b.id), { selected: shape.id, vertex: null })
  }

  /** What was done so far stands: undo does not go behind it. */
  settle(): void {
    this.history = histories.begin(this.state.shapes)
    this.change({})
  }

  /** Which shapes the pointer may change from now on. */
  allow(changes: EditorState['changes']): void {
    this.change({ changes, live: null })
  }

  /** The arrow key came up: the next one begins a new entry. */
  endGesture(): void {
    this.history = histories.endGesture(this.history)
  }

  /** The class of the selected shape, which so is confirmed, or of the next one. A suggestion leads on to the next, as A does. */
  choose(name: string): void {
    this.preferences.nextClass = name
    this.change({ nextClass: name })
    const shape = this.state.draft ? null : this.selectedShape()
    if (!shape) return
    this.record(this.state.shapes.map((each) => (each.id === shape.id ? { ...each, class: name, confirmed: true } : each)))
    if (!shape.confirmed) this.selectDoubtful(shape)
  }

  accept(): void {
    const shape = this.selectedShape()
    if (!shape || shape.confirmed) {
      this.selectDoubtful(shape)
      return
    }
    this.record(this.state.shapes.map((each) => (each.id === shape.id ? { ...each, confirmed: true } : each)))
    this.selectDoubtful(shape)
  }

  /** Confirms every suggestion of at least this score, in one step; answers how many. */
  acceptFrom(score: number): number {
    const sure = new Set(this.undecided().filter((shape) => (shape.score ?? 0) >= score))
    if (sure.size > 0) this.record(this.state.shapes.map((each) => (sure.has(each) ? { ...each, confirmed: true } : each)))
    return sure.size
  }

  /** The chosen point of a polygon, or the shape; after a suggestion the next one is selected. */
  remove(): void {
    const shape = this.selectedShape()
    if (!shape) return
    if (this.state.vertex !== null && shape.kind === 'polygon') {
      this.put(withFewerPoints(shape, this.state.vertex))
      this.change({ vertex: null })
      return
    }
    this.record(this.state.shapes.filter((each) => each.id !== shape.id), { selected: null, vertex: null })
    if (!shape.confirmed) this.selectDoubtful(shape)
  }

  /** The last point of the draft, or else the selected shape. */
  backspace(): void {
    if (this.state.draft) this.change({ draft: drafts.shortened(this.state.draft), refusal: null })
    else this.remove()
  }

  undo(): void {
    if (this.state.draft) this.backspace()
    else this.goTo(histories.undo(this.history))
  }

  redo(): void {
    this.goTo(histories.redo(this.history))
  }

  // Copies

  copy(): void {
    this.preferences.copied = this.selectedShape() ?? this.preferences.copied
  }

  paste(): void {
    if (this.preferences.copied) this.addCopies([moved(this.preferences.copied, pasteOffset, this.size)])
  }

  duplicate(): void {
    const shape = this.selectedShape()
    if (shape) this.addCopies([moved(shape, pasteOffset, this.size)])
  }

  /** The shapes of the image before, where they fit; answers how many. */
  pastePrevious(): number {
    return this.addCopies(this.preferences.previous)
  }

  // Choosing and looking

  select(id: number | null, vertex: number | null = null): void {
    this.endGesture()
    this.change({ selected: id, vertex })
  }

  /** The next shape, least certain first, or the one before; round at the ends. */
  cycle(step: 1 | -1): void {
    const order = byDoubt(this.state.shapes)
    const at = order.findIndex((shape) => shape.id === this.state.selected)
    const place = at < 0 && step < 0 ? order.length - 1 : (at + step + order.length) % Math.max(1, order.length)
    this.show(order[place])
  }

  /** Selects a shape and brings it into view. */
  show(shape: Shape | undefined): void {
    if (!shape) return
    if (this.state.tool !== 'select') this.useTool('select')
    this.select(shape.id)
    this.bring(extent(shape))
  }

  setRoom(room: Size): void {
    this.preferences.room = room
    if (this.fitted) this.fitAll()
    else if (this.framed) this.frame(this.framed)
    else this.change({})
  }

  fitAll(): void {
    this.look(fit(this.size, this.preferences.room))
    this.fitted = true
  }

  /** Selects a shape and looks at it with what is around it. */
  ask(shape: Shape): void {
    if (this.state.tool !== 'select') this.useTool('select')
    this.select(shape.id)
    this.frame(extent(shape))
  }

  /** To the selected shape, and back to the whole image. */
  toggleZoom(): void {
    const shape = this.selectedShape()
    if (this.fitted && shape) this.look(zoomTo(extent(shape), this.preferences.room))
    else this.fitAll()
  }

  /** `at` in screen pixels; by the keyboard at the crosshair or the middle. */
  zoom(factor: number, at: Point = { x: this.preferences.room.width / 2, y: this.preferences.room.height / 2 }): void {
    this.look(zoomAt(this.state.view, at, factor))
  }

  zoomStep(direction: 1 | -1): void {
    this.zoom(direction > 0 ? zoomStep : 1 / zoomStep)
  }

  pan(by: Point): void {
    this.look(panned(this.state.view, by, this.size, this.preferences.room))
  }

  toggleHidden(): void {
    this.change({ hidden: !this.state.hidden })
  }

  toggleNames(): void {
    this.preferences.names = !this.state.names
    this.change({ names: this.preferences.names })
  }

  /** What the next image may paste. */
  leave(): void {
    this.preferences.previous = this.state.shapes.filter((shape) => shape.confirmed)
  }

  private moveCursor(to: Point): void {
    const cursor = snapped(to, this.size)
    const { draft } = this.state
    this.change({ cursor, draft: draft && drafts.followed(draft, cursor) })
  }

  private addCopies(shapes: readonly Shape[]): number {
    const copies = shapes.flatMap((shape): Shape[] => {
      const fitted = fittedTo(shape, this.size)
      return fitted && isSound(fitted) ? [{ ...asCopy(fitted), id: this.freshId(), confirmed: true, score: null }] : []
    })
    const last = copies.at(-1)
    if (last) {
      if (this.state.tool !== 'select') this.useTool('select')
      this.record([...this.state.shapes, ...copies], { selected: last.id, vertex: null })
    }
    return copies.length
  }

  /** The least certain suggestion after this one in the order, or from the beginning. */
  private selectDoubtful(after: Shape | null = null): void {
    const order = byDoubt(this.undecided())
    const rank = (shape: Shape) => shape.score ?? 2
    const next = after && order.find((shape) => rank(shape) > rank(after) || (rank(shape) === rank(after) && shape.id > after.id))
    const shape = next ?? order[0]
    if (shape && this.state.tool === 'select') this.show(shape)
    else if (!shape && after && !after.confirmed) this.select(null)
  }

  private bring(part: readonly [number, number, number, number]): void {
    const view = bringIntoView(this.state.view, part, this.preferences.room)
    if (view.x !== this.state.view.x || view.y !== this.state.view.y) this.look(view)
  }

  private frame(part: Corners): void {
    this.look(zoomTo(part, this.preferences.room, contextShare))
    this.framed = part
  }

  private look(view: CanvasView): void {
    this.fitted = false
    this.framed = null
    this.change({ view })
  }

  private record(shapes: readonly Shape[], more: Partial<EditorState> = {}, gesture: string | null = null): void {
    this.history = histories.record(this.history, shapes, gesture)
    this.change({ shapes, live: null, ...more })
  }

  private goTo(history: histories.History<readonly Shape[]>): void {
    this.history = history
    const shapes = history.present
    const still = shapes.some((shape) => shape.id === this.state.selected)
    this.change({ shapes, live: null, vertex: null, selected: still ? this.state.selected : null })
  }

  private freshId(): number {
    this.lastId += 1
    return this.lastId
  }

  private change(part: Partial<EditorState>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.listeners) listener()
  }
}

/** The attributes stay; an id and a track belong to the shape that was copied. */
function asCopy({ carried, ...shape }: Shape): Shape {
  return carried?.attributes ? { ...shape, carried: { attributes: carried.attributes } } : shape
}
