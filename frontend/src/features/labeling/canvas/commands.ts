import type { ActionOf } from '../../../shared/keys/keymap'
import type { Editor } from './core/editor'
import type { Point } from './core/geometry'

type CanvasAction = ActionOf<'canvas'>

const right: Point = { x: 1, y: 0 }
const down: Point = { x: 0, y: 1 }
/** On a large image ten pixels are nothing: the crosshair then goes a hundredth of it. */
const farShare = 0.01
const farLeast = 10
const panStep = 40

interface Move {
  by: Point
  grow?: true
  far?: true
}

const moves: Partial<Record<CanvasAction, Move>> = {
  nudgeLeft: { by: times(right, -1) },
  nudgeRight: { by: right },
  nudgeUp: { by: times(down, -1) },
  nudgeDown: { by: down },
  nudgeLeftFar: { by: times(right, -1), far: true },
  nudgeRightFar: { by: right, far: true },
  nudgeUpFar: { by: times(down, -1), far: true },
  nudgeDownFar: { by: down, far: true },
  narrower: { by: times(right, -1), grow: true },
  wider: { by: right, grow: true },
  lower: { by: times(down, -1), grow: true },
  higher: { by: down, grow: true },
}

const acts: Partial<Record<CanvasAction, (editor: Editor) => void>> = {
  remove: (editor) => editor.remove(),
  removeOrPoint: (editor) => editor.backspace(),
  redo: (editor) => editor.redo(),
  next: (editor) => editor.cycle(1),
  previous: (editor) => editor.cycle(-1),
  addNext: (editor) => editor.cycle(1, true),
  addPrevious: (editor) => editor.cycle(-1, true),
  selectAll: (editor) => editor.selectAll(),
  several: (editor) => editor.selectSeveral(!editor.snapshot().several),
  select: (editor) => editor.useTool('select'),
  box: (editor) => editor.useTool('box'),
  extreme: (editor) => editor.useTool('extreme'),
  polygon: (editor) => editor.useTool('polygon'),
  repeatTool: (editor) => editor.repeatTool(),
  copy: (editor) => editor.copy(),
  paste: (editor) => editor.paste(),
  duplicate: (editor) => editor.duplicate(),
  pastePrevious: (editor) => editor.pastePrevious(),
  hide: (editor) => editor.toggleHidden(),
  hideSelected: (editor) => editor.hideSelected(),
  names: (editor) => editor.toggleNames(),
  zoom: (editor) => editor.toggleZoom(),
  zoomIn: (editor) => editor.viewport.zoomStep(1),
  zoomOut: (editor) => editor.viewport.zoomStep(-1),
}

/** What an action does to the shapes or the view; false when it is none of theirs. */
export function actOnShapes(action: CanvasAction, editor: Editor): boolean {
  const move = moves[action]
  if (move) return moveBy(move, editor)
  if (action === 'draw') return editor.enter()
  if (action === 'cancel') return editor.escape()
  // Undo goes on through the images before, once nothing is left to undo on this one.
  if (action === 'undo' && (editor.canUndo || editor.snapshot().draft)) editor.undo()
  else if (acts[action]) acts[action](editor)
  else return false
  return true
}

function moveBy({ by, grow, far }: Move, editor: Editor): boolean {
  const drawing = editor.snapshot().tool !== 'select'
  const longest = Math.max(editor.size.width, editor.size.height)
  const step = far === true ? (drawing ? Math.max(farLeast, Math.round(longest * farShare)) : farLeast) : 1
  if (!editor.nudge(times(by, step), grow === true)) editor.viewport.pan(times(by, -panStep))
  return true
}

function times({ x, y }: Point, factor: number): Point {
  return { x: x * factor, y: y * factor }
}
