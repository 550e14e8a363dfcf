import type { Attributes, BoxShape as BoxLabel, Carried, IgnoredRegion, Ring, ShapesValue } from '../../../../shared/api/types'
import { polygonOutline } from '../../../../shared/format/labels'
import type { Corners, Point, Size } from './geometry'
import { fittedTo, ofRings, type Outline, ringsOf, type Shape } from './shapes'

/** What a person confirmed, in the order of drawing, and the regions to ignore; what a model only suggested is left out. */
export function toLabel(shapes: readonly Shape[], ignore: readonly IgnoredRegion[] = []): ShapesValue {
  const confirmed = shapes.filter((shape) => shape.confirmed)
  const boxes = confirmed.flatMap((shape) => (shape.kind === 'box' ? [{ class: shape.class, box: [...shape.corners] as BoxLabel['box'], ...shape.carried }] : []))
  const polygons = confirmed.flatMap((shape) =>
    shape.kind === 'polygon' ? [{ class: shape.class, ...polygonOutline(ringsOf(shape).map(asPairs)), ...shape.carried }] : [],
  )
  return { boxes, ...(polygons.length > 0 && { polygons }), ...(ignore.length > 0 && { ignore: [...ignore] }) }
}

function asPairs(ring: readonly Point[]): Ring {
  return ring.map(({ x, y }) => [x, y])
}

/** By id, the place that each confirmed shape has in the label: the boxes come first, then the polygons. */
export function placesIn(shapes: readonly Shape[]): ReadonlyMap<number, number> {
  const confirmed = shapes.filter((shape) => shape.confirmed)
  const inOrder = [...confirmed.filter(({ kind }) => kind === 'box'), ...confirmed.filter(({ kind }) => kind === 'polygon')]
  return new Map(inOrder.map(({ id }, place) => [id, place]))
}

/** How many objects a suggestion has, also those that can't be shown; the id of each shape is its place among them, from 1 on. */
export function countIn(suggestion: unknown): number {
  const { boxes, polygons } = asRecord(suggestion)
  return asList(boxes).length + asList(polygons).length
}

/** The regions to ignore of a label or a suggestion. */
export function ignoredOf(value: unknown): IgnoredRegion[] {
  const { ignore } = asRecord(value)
  return asList(ignore).flatMap((each) => (boxOutline(each.box) ? [each as unknown as IgnoredRegion] : []))
}

/** The shapes of a label, confirmed. */
export function ofLabel(label: unknown, size: Size): Shape[] {
  return read(label, size, true)
}

/** The shapes that a model suggests or that the label has, to be confirmed; those of a model have a `score`. */
export function ofSuggestion(suggestion: unknown, size: Size): Shape[] {
  return read(suggestion, size, false)
}

function read(value: unknown, size: Size, confirmed: boolean): Shape[] {
  const { boxes, polygons } = asRecord(value)
  const outlines = [
    ...asList(boxes).map((each) => [each, boxOutline(each.box)] as const),
    ...asList(polygons).map((each) => [each, outlineOf(each)] as const),
  ]
  return outlines.flatMap(([each, outline], place) => {
    const fitted = outline && fittedTo(outline, size)
    return fitted && typeof each.class === 'string' ? [{ ...fitted, class: each.class, confirmed, suggested: !confirmed, score: confirmed ? null : scoreOf(each), id: place + 1, ...carriedBy(each) }] : []
  })
}

function carriedBy({ attributes, id, track }: Record<string, unknown>): { carried?: Carried } {
  const carried: Carried = {
    ...(Object.keys(asRecord(attributes)).length > 0 && { attributes: attributes as Attributes }),
    ...(typeof id === 'string' && { id }),
    ...(typeof track === 'string' && { track }),
  }
  return Object.keys(carried).length > 0 ? { carried } : {}
}

function scoreOf({ score }: Record<string, unknown>): number | null {
  return typeof score === 'number' ? score : null
}

function boxOutline(box: unknown): Outline | null {
  const corners = asNumbers(box)
  return corners.length === 4 ? { kind: 'box', corners: corners as unknown as Corners } : null
}

function outlineOf({ points, parts = [points] }: Record<string, unknown>): Outline | null {
  if (!Array.isArray(parts) || !parts.every((each) => Array.isArray(each))) return null
  const rings = parts.map((part) => (part as unknown[]).map(asNumbers).flatMap(([x, y]) => (x === undefined || y === undefined ? [] : [{ x, y }])))
  return { kind: 'polygon', ...ofRings(rings) }
}

function asNumbers(value: unknown): number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number' && Number.isFinite(each)) ? (value as number[]) : []
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function asList(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(asRecord) : []
}
