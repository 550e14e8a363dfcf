import { copiesOf } from './copies'
import * as drafts from './draft'
import type { DraftStep } from './draft'
import { withFewerPoints } from './input/drag'
import { type EditorState, untouched } from './editor-state'
import { type Corners, type Point, type Size, snapped } from './geometry'
import { GridIndex } from './grid-index'
import { touchedBy } from './hit'
import * as histories from './history'
import { changed, members, noShapes, type Selection, stillThere, toggled, withAll, withNone, without } from './selection'
import { byDoubt, extent, extentOf, fittedTo, grown, movedTogether, nextDoubtful, type Outline, reaches, type Shape } from './shapes'
import type { EditorTool } from './tools'
import type { EditorPreferences } from './editor-preferences'
import { Viewport } from './viewport'

const pasteOffset: Point = { x: 10, y: 10 }
/** How near, in screen pixels, is on it: for a pointer, and for a finger. */
const reachPx = 8
const fingerPx = 22
const noneNamed: readonly Shape[] = []

/**
 * One image's shapes and what a person does to them. Knows neither React nor the DOM.
 *
 * Pointer positions come through `PointerControl`; everything else is a method here. Each method that changes shapes is one
 * entry of the history.
 */
export class Editor {
  readonly viewport: Viewport
  private history: histories.History<readonly Shape[]>
  private state: EditorState
  private lastId: number
  private found: { shapes: readonly Shape[]; hidden: Selection; index: GridIndex } | null = null
  /** The pointer is a finger, which hides what it points at. */
  private finger = false
  /** The shape that was drawn last, until something else is selected or changed. */
  private lastDrawn: number | null = null
  /** Arrow keys have moved the crosshair since the last point. */
  private keyed = false
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
    this.viewport = new Viewport(size, preferences, (view) => this.change({ view }))
    this.state = { ...untouched, shapes, tool, nextClass, cursor, view: this.viewport.shown, names }
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
    const { shapes, hiddenShapes } = this.state
    if (this.found?.shapes !== shapes || this.found.hidden !== hiddenShapes) this.found = { shapes, hidden: hiddenShapes, index: this.indexOf(this.visible()) }
    return this.found.index
  }

  indexOf(shapes: readonly Shape[]): GridIndex {
    return new GridIndex(shapes, Math.max(this.size.width, this.size.height))
  }

  selectedShapes(): readonly Shape[] {
    return this.state.live ?? members(this.state.selected, this.state.shapes)
  }

  /** The one that is selected; null also where several are. */
  selectedShape(): Shape | null {
    const [shape = null, ...others] = this.selectedShapes()
    return others.length === 0 ? shape : null
  }

  /** What is neither confirmed nor deleted. */
  undecided(): readonly Shape[] {
    return this.state.shapes.filter((shape) => !shape.confirmed)
  }

  // Tools

  useTool(tool: EditorTool): void {
    if (tool !== 'select') this.preferences.lastTool = tool
    this.preferences.tool = tool
    this.change({ tool, draft: null, refusal: null, live: null, vertex: null, ...(tool === 'select' ? {} : { selected: noShapes, several: false }) })
  }

  repeatTool(): void {
    this.useTool(this.preferences.lastTool)
  }

  /** One step back: out of the draft, the selection, selecting several, the tool. False when there was nothing to leave. */
  escape(): boolean {
    const { draft, live, tool, selected, several } = this.state
    if (draft || live) this.change({ draft: null, refusal: null, live: null })
    else if (selected.length > 0) this.select(null)
    else if (several) this.selectSeveral(false)
    else if (tool !== 'select') this.useTool('select')
    else return false
    return true
  }

  // Drawing

  setCursor(cursor: Point): void {
    this.keyed = false
    this.moveCursor(cursor, true)
  }

  step(step: DraftStep): void {
    this.keyed = false
    if (step.done) this.draw(step.done)
    else this.change({ draft: step.draft, refusal: step.refused ?? null })
  }

  setLive(live: readonly Shape[] | null): void {
    this.change({ live })
  }

  /** As it was before a press that the browser, or a second finger, took back. */
  takeBack({ draft, refusal, selected, vertex }: EditorState): void {
    this.change({ draft, refusal, selected, vertex, live: null, marquee: null })
  }

  /** Enter: begins, continues or ends what the tool draws at the crosshair. False while no drawing tool is taken up. */
  enter(): boolean {
    const { tool, draft, cursor } = this.state
    if (tool === 'select') return false
    const closing = !this.keyed
    this.step(drafts.entered(draft, tool, cursor, closing))
    return true
  }

  /** A new shape of the next class; its tool stays taken up. Who draws first names it next; who names first goes on to the next shape. */
  draw(outline: Outline): void {
    const shape: Shape = { ...outline, id: this.freshId(), class: this.state.nextClass, confirmed: true, score: null }
    this.change({ draft: null, refusal: null })
    this.record([...this.state.shapes, shape], { selected: this.preferences.order === 'draw-first' ? [shape.id] : noShapes })
    this.lastDrawn = shape.id
  }

  /** A drag with the select tool that began on no shape, while there is nothing to move the image to. */
  missed(): void {
    if (this.viewport.showsAll) this.change({ refusal: 'The Select tool draws nothing, and no shape is there. Choose Box, 4 points or Polygon to draw.' })
  }

  // Changing

  put(shape: Shape): void {
    this.putAll([shape])
  }

  /** Each in place of the shape with its id, confirmed: who corrects a suggestion has looked at it. What would be no shape stays as it was. */
  putAll(shapes: readonly Shape[], gesture: string | null = null): void {
    const sound = new Map(shapes.map((shape) => [shape.id, fittedTo(shape, this.size)]))
    const present = this.state.shapes
    const next = present.map((old) => {
      const shape = sound.get(old.id)
      return shape ? { ...shape, confirmed: true } : old
    })
    this.change({ live: null })
    if (shapes.some((shape) => !present.includes(shape)) && next.some((shape, place) => shape !== present[place])) this.record(next, {}, gesture)
  }

  /** By image pixels: moves the selected shapes together, or makes each larger; with a drawing tool it moves the crosshair. */
  nudge(by: Point, grow: boolean): boolean {
    const { tool, cursor } = this.state
    if (tool !== 'select') {
      this.moveCursor({ x: cursor.x + by.x, y: cursor.y + by.y }, false)
      this.keyed = true
      this.viewport.bring([this.state.cursor.x, this.state.cursor.y, this.state.cursor.x, this.state.cursor.y])
      return true
    }
    const shapes = this.selectedShapes()
    if (shapes.length === 0) return false
    const next = grow ? shapes.map((shape) => grown(shape, by, this.size)) : movedTogether(shapes, by, this.size)
    this.putAll(next, `${grow ? 'grow' : 'nudge'} ${this.state.selected.join(' ')}`)
    return true
  }

  /** The shape as it was, selected: also one that was deleted meanwhile. */
  restore(shape: Shape): void {
    const others = this.state.shapes.filter((each) => each.id !== shape.id)
    this.record([...others, shape].toSorted((a, b) => a.id - b.id), { selected: [shape.id], vertex: null })
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

  /** The class of the selected shapes, which so are confirmed, or of the next one. A single suggestion leads on to the next, as A does. */
  choose(name: string): void {
    this.preferences.nextClass = name
    this.change({ nextClass: name })
    const shapes = this.named()
    if (shapes.length === 0) return
    this.record(changed(this.state.shapes, shapes.map(({ id }) => id), { class: name, confirmed: true }))
    this.goOnAfter(shapes)
  }

  /** The shapes that a class is chosen for: the selected ones; else, for who draws first, the one that was just drawn. */
  named(): readonly Shape[] {
    if (this.state.draft) return noneNamed
    const selected = this.selectedShapes()
    if (selected.length > 0 || this.preferences.order === 'name-first') return selected
    const drawn = this.state.shapes.find(({ id }) => id === this.lastDrawn)
    return drawn ? [drawn] : noneNamed
  }

  /** Confirms the selected suggestion and selects the next; of several, those of at least this score. */
  accept(least = 0): void {
    const shapes = this.selectedShapes()
    const asked = shapes.filter((shape) => !shape.confirmed)
    const sure = shapes.length > 1 ? asked.filter((shape) => reaches(shape, least)) : asked
    this.confirm(sure)
    if (sure.length < asked.length) this.change({ selected: without(asked, sure.map(({ id }) => id)).map(({ id }) => id), refusal: unsure(asked.length - sure.length, least) })
    else if (shapes.length <= 1) this.selectDoubtful(shapes[0])
  }

  /** Confirms every suggestion of at least this score, in one step; answers how many. */
  acceptFrom(score: number): number {
    const sure = this.undecided().filter((shape) => reaches(shape, score))
    this.confirm(sure)
    return sure.length
  }

  /** The chosen point of a polygon, or the selected shapes; after a single suggestion the next one is selected. */
  remove(): void {
    const shape = this.selectedShape()
    if (this.state.vertex !== null && shape?.kind === 'polygon') {
      this.put(withFewerPoints(shape, this.state.vertex))
      this.change({ vertex: null })
      return
    }
    const shapes = this.selectedShapes()
    if (shapes.length === 0) return
    this.record(without(this.state.shapes, this.state.selected), { selected: noShapes, vertex: null })
    this.goOnAfter(shapes)
  }

  /** The last point of the draft, or else the selected shapes. */
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
    const shapes = this.selectedShapes()
    if (shapes.length > 0) this.preferences.copied = shapes
  }

  paste(): void {
    this.addBeside(this.preferences.copied)
  }

  duplicate(): void {
    this.addBeside(this.selectedShapes())
  }

  /** The shapes of the image before, where they fit; answers how many. */
  pastePrevious(): number {
    const copies = this.addCopies(this.preferences.previous)
    if (copies.length > 0) this.select(copies.at(-1)?.id ?? null)
    return copies.length
  }

  // Choosing and looking

  select(id: number | null, vertex: number | null = null): void {
    this.selectMany(id === null ? noShapes : [id], vertex)
  }

  /** These shapes and no others, which so are no longer hidden. */
  selectMany(selected: Selection, vertex: number | null = null): void {
    this.endGesture()
    this.lastDrawn = null
    this.change({ selected, vertex, refusal: null, hiddenShapes: withNone(this.state.hiddenShapes, selected) })
  }

  /** Adds the shape to the selection, or takes it away. */
  toggle(id: number): void {
    this.selectMany(toggled(this.state.selected, id))
  }

  /** All that are not hidden. */
  selectAll(): void {
    if (this.state.tool !== 'select') this.useTool('select')
    this.selectMany(this.visible().map(({ id }) => id))
  }

  /** Whether a press adds to the selection from now on; only the select tool selects. */
  selectSeveral(several: boolean): void {
    if (several && this.state.tool !== 'select') this.useTool('select')
    this.change({ several })
  }

  /** Draws the marquee; with `before` the selection is that and what the marquee touches. */
  setMarquee(marquee: Corners | null, before: Selection): void {
    const selected = marquee ? withAll(before, touchedBy(this.index(), marquee).map(({ id }) => id)) : this.state.selected
    this.change({ marquee, selected, vertex: null })
  }

  /** The next shape, least certain first, or the one before; round at the ends. With `add` it joins the selection. */
  cycle(step: 1 | -1, add = false): void {
    const order = byDoubt(this.visible())
    const at = order.findIndex((shape) => shape.id === this.state.selected.at(-1))
    const place = at < 0 && step < 0 ? order.length - 1 : (at + step + order.length) % Math.max(1, order.length)
    this.show(order[place], add)
  }

  /** Selects a shape and brings it into view. With `add` the others stay selected. */
  show(shape: Shape | undefined, add = false): void {
    if (!shape) return
    if (this.state.tool !== 'select') this.useTool('select')
    // Where it was selected already it becomes the last, from which the next step goes on.
    this.selectMany(add ? [...withNone(this.state.selected, [shape.id]), shape.id] : [shape.id])
    this.viewport.bring(extent(shape))
  }

  /** Selects a shape and looks at it with what is around it. */
  ask(shape: Shape): void {
    if (this.state.tool !== 'select') this.useTool('select')
    this.select(shape.id)
    this.viewport.frame(extent(shape))
  }

  /** To the selected shapes, and back to the whole image. */
  toggleZoom(): void {
    const shapes = this.selectedShapes()
    this.viewport.toggle(shapes.length > 0 ? extentOf(shapes) : null)
  }

  toggleHidden(): void {
    this.change({ hidden: !this.state.hidden })
  }

  /** Hides the selected shapes; with none selected, shows again what was hidden so. */
  hideSelected(): void {
    const { selected, hiddenShapes } = this.state
    if (selected.length === 0) this.showHidden()
    else this.change({ hiddenShapes: withAll(hiddenShapes, selected), selected: noShapes, vertex: null })
  }

  showHidden(): void {
    this.change({ hiddenShapes: noShapes })
  }

  toggleNames(): void {
    this.preferences.names = !this.state.names
    this.change({ names: this.preferences.names })
  }

  /** What the next image may paste. */
  leave(): void {
    this.preferences.previous = this.state.shapes.filter((shape) => shape.confirmed)
  }

  private moveCursor(to: Point, pointed: boolean): void {
    const cursor = snapped(to, this.size)
    const { draft } = this.state
    this.change({ cursor, pointed, draft: draft && drafts.followed(draft, cursor) })
  }

  private visible(): readonly Shape[] {
    return without(this.state.shapes, this.state.hiddenShapes)
  }

  private confirm(shapes: readonly Shape[]): void {
    if (shapes.length > 0) this.record(changed(this.state.shapes, shapes.map(({ id }) => id), { confirmed: true }))
  }

  /** A little beside the shapes, all selected. */
  private addBeside(shapes: readonly Shape[]): void {
    const copies = this.addCopies(movedTogether(shapes, pasteOffset, this.size))
    if (copies.length > 0) this.selectMany(copies.map(({ id }) => id))
  }

  private addCopies(shapes: readonly Shape[]): readonly Shape[] {
    const copies = copiesOf(shapes, this.size, () => this.freshId())
    if (copies.length > 0) {
      if (this.state.tool !== 'select') this.useTool('select')
      this.record([...this.state.shapes, ...copies])
    }
    return copies
  }

  /** After a single suggestion was decided comes the next. */
  private goOnAfter(shapes: readonly Shape[]): void {
    const [shape, ...others] = shapes
    if (shape && others.length === 0 && !shape.confirmed) this.selectDoubtful(shape)
  }

  /** The least certain suggestion after this one in the order, or from the beginning. */
  private selectDoubtful(after: Shape | null = null): void {
    const shape = nextDoubtful(this.undecided(), after)
    if (shape && this.state.tool === 'select') this.show(shape)
    else if (!shape && after && !after.confirmed) this.select(null)
  }

  private record(shapes: readonly Shape[], more: Partial<EditorState> = {}, gesture: string | null = null): void {
    this.history = histories.record(this.history, shapes, gesture)
    this.change({ shapes, live: null, ...more })
  }

  private goTo(history: histories.History<readonly Shape[]>): void {
    this.history = history
    const shapes = history.present
    this.change({ shapes, live: null, vertex: null, selected: stillThere(this.state.selected, shapes) })
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

function unsure(left: number, least: number): string {
  const who = left === 1 ? '1 suggestion scores' : `${left} suggestions score`
  return `${who} below ${least.toFixed(2)}, the least that this queue accepts several at: accept ${left === 1 ? 'it' : 'each'} on its own.`
}
