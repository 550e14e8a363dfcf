import type { Attributes, Carried, IgnoredRegion, PolygonOutline, PolygonShape, Ring, ShapesValue } from '../api/types'
import { plural } from './numbers'

/** `{class}`, `{classes: [..]}` or `{boxes: [..]}`: what a dataset's task makes it. */
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

/** The polygons of a detection label. */
export function labelPolygons(label: Label | null): PolygonShape[] {
  return Array.isArray(label?.polygons) ? (label.polygons as PolygonShape[]) : []
}

/** The outline of each part of a polygon. */
export function polygonRings({ points, parts }: PolygonOutline): Ring[] {
  return parts ?? [points]
}

/** A polygon of these parts, one or more. */
export function polygonOutline(rings: readonly Ring[]): PolygonOutline {
  const [points, ...others] = rings
  return points && others.length === 0 ? { points } : { parts: [...rings] }
}

/** The polygon with these parts instead; without the score that a model gives its guess. */
export function withRings(polygon: PolygonShape, rings: readonly Ring[]): PolygonShape {
  return { class: polygon.class, ...polygonOutline(rings), ...carriedOf(polygon) }
}

/** All of its parts as one path of an SVG. */
export function polygonPath(polygon: PolygonOutline): string {
  return polygonRings(polygon).map((ring) => `M${ring.join(' ')}Z`).join('')
}

/** The regions to ignore of a detection label. */
export function labelIgnored(label: Label | null): IgnoredRegion[] {
  return Array.isArray(label?.ignore) ? (label.ignore as IgnoredRegion[]) : []
}

/** A box, a polygon or a region to ignore, without telling them apart by what they are made of. */
export interface LabelObject extends Carried {
  kind: 'box' | 'polygon' | 'ignored'
  /** A region to ignore may have none. */
  class: string | null
  /** Of two objects of a kind and class, the same where they lie in the same place. */
  place: string
}

/** All that a detection label holds, kind by kind. */
export function labelObjects(label: Label | null): LabelObject[] {
  return [
    ...labelBoxes(label).map(({ box, ...more }) => ({ kind: 'box' as const, ...more, place: box.join() })),
    ...labelPolygons(label).map(({ points, parts, ...more }) => ({ kind: 'polygon' as const, ...more, place: (parts ?? points).join() })),
    ...labelIgnored(label).map(({ box, ...more }) => ({ kind: 'ignored' as const, ...more, class: more.class ?? null, place: box.join() })),
  ]
}

/** An attribute's value in words. */
export function attributeText(value: Attributes[string]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** A label in words; null means that nobody has said anything yet. */
export function labelText(label: Label | null): string | null {
  if (label === null) return null
  if (Array.isArray(label.boxes)) {
    const ignored = labelIgnored(label).length
    return shapesText(label.boxes.length, labelPolygons(label).length) + (ignored > 0 ? `, ${plural(ignored, 'region')} to ignore` : '')
  }
  if (Array.isArray(label.classes)) return label.classes.join(', ') || 'none of them'
  return labelClass(label)
}

/** How many shapes of each kind: `2 boxes, 1 polygon`. */
export function shapesText(boxes: number, polygons: number): string {
  if (boxes === 0 && polygons === 0) return 'no objects'
  const parts = [
    ...(boxes > 0 ? [plural(boxes, 'box', 'boxes')] : []),
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
    ...(polygons.length > 0 && { polygons: polygons.map((polygon) => withRings(polygon, polygonRings(polygon))) }),
    ...(ignore.length > 0 && { ignore }),
  }
}

/** Without the score that a model gives its guess. */
function carriedOf({ attributes, id, track }: Carried): Carried {
  return { ...(attributes && { attributes }), ...(id !== undefined && { id }), ...(track !== undefined && { track }) }
}
