import type { Part } from '../../../shared/routes/grid-search'

interface Size {
  width: number
  height: number
}

/** The middle half of a picture, to begin with. */
export function middle({ width, height }: Size): Part {
  const [wide, high] = [Math.max(1, Math.round(width / 2)), Math.max(1, Math.round(height / 2))]
  return { x: Math.floor((width - wide) / 2), y: Math.floor((height - high) / 2), width: wide, height: high }
}

/** The whole pixels between two points, inside the picture; one at least. */
export function between(from: readonly [number, number], to: readonly [number, number], { width, height }: Size): Part {
  const [left, right] = span(from[0], to[0], width)
  const [top, bottom] = span(from[1], to[1], height)
  return { x: left, y: top, width: right - left, height: bottom - top }
}

function span(one: number, other: number, length: number): [number, number] {
  const low = Math.min(Math.max(0, Math.floor(Math.min(one, other))), length - 1)
  return [low, Math.min(Math.max(low + 1, Math.ceil(Math.max(one, other))), length)]
}

const directions: Record<string, readonly [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/** Moved by a twentieth of the picture, or made larger or smaller by it; null for a key that does neither. */
export function nudged(part: Part, key: string, { width, height, size }: Size & { size: boolean }): Part | null {
  const direction = directions[key]
  if (!direction) return null
  const [dx, dy] = [direction[0] * Math.max(1, Math.round(width / 20)), direction[1] * Math.max(1, Math.round(height / 20))]
  if (size) {
    return { ...part, width: within(part.width + dx, 1, width - part.x), height: within(part.height + dy, 1, height - part.y) }
  }
  return { ...part, x: within(part.x + dx, 0, width - part.width), y: within(part.y + dy, 0, height - part.height) }
}

function within(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}
