/** `extreme` draws a box by its topmost, bottommost, leftmost and rightmost points, in any order. */
export type DrawingTool = 'box' | 'extreme' | 'polygon'
export type Tool = 'select' | DrawingTool

export const tools: readonly Tool[] = ['select', 'box', 'extreme', 'polygon']
