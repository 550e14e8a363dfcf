/** `extreme` draws a box by its topmost, bottommost, leftmost and rightmost points, in any order. */
export type DrawingTool = 'box' | 'extreme' | 'polygon'
export type EditorTool = 'select' | DrawingTool

export const tools: readonly EditorTool[] = ['select', 'box', 'extreme', 'polygon']
