import type { EditorPreferences } from './editor-preferences'
import type { Corners, Point, Size } from './geometry'
import { bringIntoView, type CanvasView, fit, panned, zoomAt, zoomTo } from './view'

/** Around a shape that is asked about there is twice as much of the image as of the shape. */
const contextShare = 1
const zoomStep = 1.25

/** Which part of the image the stage shows; tells of each change. */
export class Viewport {
  private fitted = true
  /** What stays in the middle when the room changes; null for the whole image, or wherever a person went. */
  private framed: Corners | null = null
  private view: CanvasView

  constructor(
    private readonly size: Size,
    private readonly preferences: EditorPreferences,
    private readonly tell: (view: CanvasView) => void,
  ) {
    this.view = fit(size, preferences.room)
  }

  get shown(): CanvasView {
    return this.view
  }

  /** The whole image is in view. */
  get showsAll(): boolean {
    return this.view.scale <= fit(this.size, this.preferences.room).scale
  }

  setRoom(room: Size): void {
    this.preferences.room = room
    if (this.fitted) this.fitAll()
    else if (this.framed) this.frame(this.framed)
    else this.tell(this.view)
  }

  fitAll(): void {
    this.look(fit(this.size, this.preferences.room))
    this.fitted = true
  }

  /** A part with what is around it. */
  frame(part: Corners): void {
    this.look(zoomTo(part, this.preferences.room, contextShare))
    this.framed = part
  }

  /** To a part, and back to the whole image. */
  toggle(part: Corners | null): void {
    if (this.fitted && part) this.look(zoomTo(part, this.preferences.room))
    else this.fitAll()
  }

  bring(part: Corners): void {
    const view = bringIntoView(this.view, part, this.preferences.room)
    if (view.x !== this.view.x || view.y !== this.view.y) this.look(view)
  }

  /** `at` in screen pixels; by the keyboard at the middle. */
  zoom(factor: number, at: Point = { x: this.preferences.room.width / 2, y: this.preferences.room.height / 2 }): void {
    this.look(zoomAt(this.view, at, factor))
  }

  zoomStep(direction: 1 | -1): void {
    this.zoom(direction > 0 ? zoomStep : 1 / zoomStep)
  }

  /** By screen pixels. */
  pan(by: Point): void {
    this.look(panned(this.view, by, this.size, this.preferences.room))
  }

  private look(view: CanvasView): void {
    this.view = view
    this.fitted = false
    this.framed = null
    this.tell(view)
  }
}
