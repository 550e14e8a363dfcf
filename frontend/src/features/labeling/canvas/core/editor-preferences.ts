import type { Size } from './geometry'
import type { Shape } from './shapes'
import type { DrawingTool, EditorTool } from './tools'

/** What goes along from one image to the next. */
export interface EditorPreferences {
  tool: EditorTool
  /** What N takes up again. */
  lastTool: DrawingTool
  /** The class of the next shape. */
  nextClass: string
  copied: readonly Shape[]
  /** The shapes of the image before. */
  previous: readonly Shape[]
  names: boolean
  /** Of the stage, in screen pixels. */
  room: Size
}

export function newPreferences(firstClass: string, lastTool: DrawingTool = 'box'): EditorPreferences {
  return { tool: 'select', lastTool, nextClass: firstClass, copied: [], previous: [], names: true, room: { width: 800, height: 600 } }
}
