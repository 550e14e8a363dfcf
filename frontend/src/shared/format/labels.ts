import type { Carried, ShapesValue } from '../api/types'
import { plural } from './numbers'

/** `{class}` or `{boxes: [..]}`: what a dataset's task makes it. */
type Label = Record<string, unknown>

/** x1, y1, x2, y2 in px of the upright image. */
export interface Box extends Carried {
  class: string
  box: [number, number, number, number]
}

/** The boxes of a detection label; none for another label or no label. */
export function labelBoxes(label: Label | null): Box[] {
  return Array.isArray(label?.boxes) ? (label.boxes as Box[]) : []
}

/** A label in words; null means that nobody has said anything yet. */
export function labelText(label: Label | null): string | null {
  if (label === null) return null
  if (Array.isArray(label.boxes)) return shapesText(label.boxes.length, Array.isArray(label.polygons) ? label.polygons.length : 0)
  return labelClass(label)
}

/** How many shapes of each kind: `2 boxes, 1 polygon`. */
export function shapesText(boxes: number, polygons: number): string {
  const parts = [
    ...(boxes > 0 || polygons === 0 ? [plural(boxes, 'box', 'boxes')] : []),
    ...(polygons > 0 ? [plural(polygons, 'polygon')] : []),
  ]
  return parts.join(', ')
}

export function labelClass(label: Label | null): string | null {
  return typeof label?.class === 'string' ? label.class : null
}

/** The same text for labels that say the same: the order of shapes, and of names, says nothing. */
export function canonicalShapes({ boxes, polygons = [], ignore = [] }: ShapesValue): string {
  return JSON.stringify([boxes, polygons, ignore].map((each) => each.map(inOrder).sort()))
}

function inOrder(value: object): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

/** The shapes of a suggestion as a label: without the scores that a model gives its guesses. */
export function suggestedShapes({ boxes, polygons = [], ignore = [] }: ShapesValue): ShapesValue {
  return {
    boxes: boxes.map(({ class: name, box, ...more }) => ({ class: name, box, ...carriedOf(more) })),
    ...(polygons.length > 0 && { polygons: polygons.map(({ class: name, points, ...more }) => ({ class: name, points, ...carriedOf(more) })) }),
    ...(ignore.length > 0 && { ignore }),
  }
}

/** Without the score that a model gives its guess. */
function carriedOf({ attributes, id, track }: Carried): Carried {
  return { ...(attributes && { attributes }), ...(id !== undefined && { id }), ...(track !== undefined && { track }) }
}
