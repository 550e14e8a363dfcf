import type { ShapeDraft } from './draft'
import type { EditorState } from './editor-state'
import type { Point } from './geometry'

/** Where the keys draw next: the corner that was just set there, or the crosshair alone. '' where the pointer leads, or nothing is drawn. */
export function crosshairWords({ tool, draft, cursor, pointed }: Pick<EditorState, 'tool' | 'draft' | 'cursor' | 'pointed'>): string {
  if (tool === 'select' || pointed) return ''
  const set = draft ? cornersOf(draft) : []
  const last = set.at(-1)
  const what = last && last.x === cursor.x && last.y === cursor.y ? `Corner ${set.length}` : 'Crosshair'
  return `${what} at ${cursor.x}, ${cursor.y}.`
}

function cornersOf(draft: ShapeDraft): readonly Point[] {
  return draft.tool === 'box' ? [draft.from] : draft.points
}
