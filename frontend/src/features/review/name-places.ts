import { polygonRings } from '../../shared/format/labels'
import type { AnswerLayer } from './layers'

/** A name over the image, in px of the image; `x` is its left end and `y` the line it stands on. */
export interface PlacedName {
  id: string
  text: string
  colour: string
  x: number
  y: number
}

interface Anchor {
  class: string
  x: number
  y: number
}

/** Of the height of the letters: a line, and the usual width of one letter. */
const line = 1.25
const letter = 0.6

/** The names of all shapes that are shown, each where no other stands: above its shape, or on the next free line below that. */
export function namePlaces(layers: readonly AnswerLayer[], size: number): PlacedName[] {
  const placed: PlacedName[] = []
  for (const { id, name, colour, shapes } of layers) {
    anchorsOf(shapes).forEach((anchor, place) => {
      const text = `${anchor.class} · ${name}`
      let y = Math.max(size, anchor.y - size * 0.3)
      while (placed.some((other) => overlap(other, { text, x: anchor.x, y }, size))) y += size * line
      placed.push({ id: `${id} ${place}`, text, colour, x: anchor.x, y })
    })
  }
  return placed
}

function anchorsOf({ boxes, polygons = [] }: AnswerLayer['shapes']): Anchor[] {
  return [
    ...boxes.map(({ class: said, box: [x, y] }) => ({ class: said, x, y })),
    ...polygons.map((polygon) => topmost(polygon.class, polygonRings(polygon).flat())),
  ]
}

function topmost(said: string, points: readonly (readonly number[])[]): Anchor {
  const [x = 0, y = 0] = points.reduce((best, point) => ((point[1] ?? 0) < (best[1] ?? 0) ? point : best), points[0] ?? [0, 0])
  return { class: said, x, y }
}

function overlap(one: Pick<PlacedName, 'text' | 'x' | 'y'>, other: Pick<PlacedName, 'text' | 'x' | 'y'>, size: number): boolean {
  const wide = ({ text }: Pick<PlacedName, 'text'>) => text.length * letter * size
  return Math.abs(one.y - other.y) < size * line * 0.95 && one.x < other.x + wide(other) && other.x < one.x + wide(one)
}
