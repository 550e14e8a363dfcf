import type { Editor } from '../core/editor'
import type { Point } from '../core/geometry'
import type { Handle } from '../core/hit'
import type { PointerControl } from '../core/input/pointer'

const forms: Record<Handle, string> = {
  n: 'ns-resize',
  s: 'ns-resize',
  e: 'ew-resize',
  w: 'ew-resize',
  nw: 'nwse-resize',
  se: 'nwse-resize',
  ne: 'nesw-resize',
  sw: 'nesw-resize',
}

/** The CSS cursor that says what a press here would do. */
export function pointerForm(editor: Editor, control: PointerControl, at: Point, space: boolean): string {
  if (space) return 'grab'
  // The painted crosshair is the cursor.
  if (editor.snapshot().tool !== 'select') return 'none'
  const hit = control.hover(at)
  if (hit === null) return 'default'
  if (hit.on === 'handle') return forms[hit.handle]
  if (hit.on === 'vertex') return 'move'
  return hit.on === 'side' ? 'copy' : 'pointer'
}
