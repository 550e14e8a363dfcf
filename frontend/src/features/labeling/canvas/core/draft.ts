import { bounds, cornersOf, distance, type Point } from './geometry'
import { fewestPoints, isSound, type Outline } from './shapes'
import type { DrawingTool } from './tools'

/** A shape that is being drawn. */
export type ShapeDraft =
  /** `placed`: the first corner was clicked and a second click will end it; until then letting go after a drag ends it. */
  | { readonly tool: 'box'; readonly from: Point; readonly to: Point; readonly placed: boolean }
  | { readonly tool: 'extreme' | 'polygon'; readonly points: readonly Point[]; readonly to: Point }

/** What a press or a key made of a draft: more of it, a finished outline, or nothing. */
export interface DraftStep {
  readonly draft: ShapeDraft | null
  readonly done: Outline | null
  /** Why what was to be closed is not an outline. */
  readonly refused?: string
}

const nothing: DraftStep = { draft: null, done: null }
const extremes = 4
const tooFew = 'A polygon needs three points: set more of them, or take back those there are with Undo.'
const noArea = 'These lines cross or lie on each other and enclose no area: Undo takes the last point back.'

/** The pointer went down at `at`; `reach` is how near is the same place. */
export function pressed(draft: ShapeDraft | null, tool: DrawingTool, at: Point, reach: number): DraftStep {
  if (tool === 'box') return { draft: draft?.tool === 'box' ? { ...draft, to: at } : { tool, from: at, to: at, placed: false }, done: null }
  const points = draft && draft.tool === tool ? draft.points : []
  if (tool === 'polygon' && closes(points, at, reach)) return closed(points)
  const last = points.at(-1)
  if (last && distance(last, at) === 0) return { draft, done: null }
  const further = [...points, at]
  return tool === 'extreme' && further.length === extremes ? finished(asBox(further)) : { draft: { tool, points: further, to: at }, done: null }
}

export function followed(draft: ShapeDraft, to: Point): ShapeDraft {
  return { ...draft, to }
}

/** The pointer came up at `at`; `slip` says that it hardly moved, so that this was a click. */
export function released(draft: ShapeDraft, at: Point, slip: boolean): DraftStep {
  if (draft.tool !== 'box') return { draft, done: null }
  if (slip && !draft.placed) return { draft: { ...draft, to: at, placed: true }, done: null }
  return finished({ kind: 'box', corners: cornersOf(draft.from, at) })
}

/** Enter at the crosshair: begins a box or ends it; adds a point, or closes the polygon when `closing`. */
export function entered(draft: ShapeDraft | null, tool: DrawingTool, at: Point, closing: boolean): DraftStep {
  if (tool === 'box') {
    return draft?.tool === 'box' ? released(draft, at, false) : { draft: { tool, from: at, to: at, placed: true }, done: null }
  }
  if (closing && draft?.tool === 'polygon') return closed(draft.points)
  return pressed(draft, tool, at, 0)
}

/** Without its last point; null when nothing is left. */
export function shortened(draft: ShapeDraft): ShapeDraft | null {
  if (draft.tool === 'box' || draft.points.length <= 1) return null
  return { ...draft, points: draft.points.slice(0, -1) }
}

function closes(points: readonly Point[], at: Point, reach: number): boolean {
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last || points.length < fewestPoints) return false
  return distance(first, at) <= reach || distance(last, at) === 0
}

function closed(points: readonly Point[]): DraftStep {
  const outline: Outline = { kind: 'polygon', points }
  if (isSound(outline)) return { draft: null, done: outline }
  // What is not closed yet is no reason to lose the points that there are.
  const draft: ShapeDraft | null = points[0] ? { tool: 'polygon', points, to: points[0] } : null
  return { draft, done: null, refused: points.length < fewestPoints ? tooFew : noArea }
}

function finished(outline: Outline): DraftStep {
  return isSound(outline) ? { draft: null, done: outline } : nothing
}

function asBox(points: readonly Point[]): Outline {
  return { kind: 'box', corners: bounds(points) }
}
