import type { Size } from './geometry'
import type { Shape } from './shapes'
import type { DrawingTool, EditorTool } from './tools'

/** Whether a class that is chosen right after drawing is that of the drawn shape, or of the next one. */
export type DrawingOrder = 'draw-first' | 'name-first'

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
  order: DrawingOrder
  /** Of the stage, in screen pixels. */
  room: Size
}

export function newPreferences(firstClass: string, lastTool: DrawingTool = 'box'): EditorPreferences {
  return { tool: 'select', lastTool, nextClass: firstClass, copied: [], previous: [], names: true, order: 'draw-first', room: { width: 800, height: 600 } }
}
