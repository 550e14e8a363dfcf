import type { ShapeDraft } from './draft'
import type { Corners, Point } from './geometry'
import { noShapes, type Selection } from './selection'
import type { Shape } from './shapes'
import type { EditorTool } from './tools'
import type { CanvasView } from './view'

export interface EditorState {
  readonly shapes: readonly Shape[]
  readonly selected: Selection
  /** A point of the selected polygon. */
  readonly vertex: number | null
  readonly tool: EditorTool
  readonly nextClass: string
  readonly draft: ShapeDraft | null
  /** Why the draft could not be ended, or not all of the selected accepted. */
  readonly refusal: string | null
  /** The selected shapes while they are dragged; `shapes` still has them as they were. */
  readonly live: readonly Shape[] | null
  /** What is drawn around the shapes that are to be selected. */
  readonly marquee: Corners | null
  /** A press adds a shape to the selection or takes it away, as with Shift. */
  readonly several: boolean
  /** Where the crosshair is, in image pixels. */
  readonly cursor: Point
  /** The pointer was the last to move the crosshair. */
  readonly pointed: boolean
  readonly view: CanvasView
  readonly hidden: boolean
  /** Shapes that are hidden while the others are shown. */
  readonly hiddenShapes: Selection
  readonly names: boolean
  /** Which shapes the pointer may change and select. */
  readonly changes: 'all' | 'selected' | 'none'
}

/** Of an image that nobody has touched yet, apart from what goes along from one image to the next. */
export const untouched = {
  selected: noShapes,
  vertex: null,
  draft: null,
  refusal: null,
  live: null,
  marquee: null,
  several: false,
  pointed: false,
  hidden: false,
  hiddenShapes: noShapes,
  changes: 'all',
} satisfies Partial<EditorState>
