import { rasteriseDensity } from './density'
import { quiet } from './inks'
import type { MapMark, Picture } from './picture'
import { countIn, hiddenShare, type SpatialIndex, visitPart } from './spatial-index'
import type { Squares } from './squares'
import { type MapSize, type MapView, partOf } from './view'

const mostMarks = 20_000
/** So few points are drawn for themselves even where they hide each other. */
const fewMarks = 4_000
const hiddenTooMany = 0.6

/**
 * Writes the points into the pixels of a canvas, in place. The time it takes depends on the pixels and on at most a part of the
 * points, so that a million are drawn as fast as a hundred thousand. `kept` is what the last call returned.
 */
export function rasterise(pixels: Uint32Array, size: MapSize, view: MapView, picture: Picture, kept: Squares | null): Squares | null {
  const { index, ratio, few } = picture
  const inView = countIn(index, partOf(view, size))
  const radius = Math.round((inView > 2_000 ? 3 : 4) * ratio)
  const crowded = inView > mostMarks || (inView > fewMarks && hiddenShare(index, (2 * radius) / view.scale) > hiddenTooMany)
  if (picture.drawn === 'points' || (picture.drawn === 'auto' && !crowded)) {
    rasteriseMarks(pixels, size, view, picture, radius)
    return kept
  }
  const squares = rasteriseDensity(pixels, size, view, picture, Math.round(squareFor(index, view, ratio) * ratio), kept)
  if (few) {
    const stamp = stamper(pixels, size, view, picture, radius)
    for (const place of few) stamp(place)
  }
  return squares
}

/** The side of a square, in px of the page: larger where points lie far apart, so that they are seen at all. */
function squareFor({ bounds, order }: SpatialIndex, { scale }: MapView, ratio: number): number {
  const area = ((bounds.right - bounds.left) * (bounds.bottom - bounds.top) * scale * scale) / (ratio * ratio)
  const perPixel = order.length / Math.max(1, area)
  return perPixel > 0.4 ? 1 : perPixel > 0.08 ? 2 : perPixel > 0.02 ? 3 : 4
}

function rasteriseMarks(pixels: Uint32Array, size: MapSize, view: MapView, picture: Picture, radius: number): void {
  pixels.fill(picture.ground)
  const unclassed = picture.marks.length - 1
  stampAll(pixels, size, view, picture, Math.max(1, radius - 1), (ink) => ink >= quiet)
  stampAll(pixels, size, view, picture, radius, (ink) => ink === unclassed)
  stampAll(pixels, size, view, picture, radius, (ink) => ink < unclassed)
}

/** A mark alone, for the legend: what it shows is what the map shows. */
export function rasteriseMark(pixels: Uint32Array, side: number, mark: MapMark): void {
  const middle = Math.floor(side / 2)
  const at = middle * side + middle
  const { fill, stripe } = stamp(mark.form, middle - 1, side)
  for (const offset of fill) pixels[at + offset] = mark.colour
  if (mark.stripe !== null) for (const offset of stripe) pixels[at + offset] = mark.stripe
}

function stampAll(pixels: Uint32Array, size: MapSize, view: MapView, picture: Picture, radius: number, drawn: (ink: number) => boolean): void {
  const { index, inks } = picture
  const stamp = stamper(pixels, size, view, picture, radius)
  visitPart(index, partOf(view, size), (from, to) => {
    for (let place = from; place < to; place += 1) if (drawn(inks[place] ?? quiet)) stamp(place)
  })
}

/** Draws the mark of the point at a place of the index. */
function stamper(pixels: Uint32Array, { width, height }: MapSize, view: MapView, { index: { xy }, inks, marks, faint }: Picture, radius: number): (place: number) => void {
  const forms = [0, 1, 2].map((form) => stamp(form, radius, width))
  return (place) => {
    const ink = inks[place] ?? quiet
    const x = Math.round((xy[2 * place] ?? 0) * view.scale + view.x)
    const y = Math.round((xy[2 * place + 1] ?? 0) * view.scale + view.y)
    if (x < radius || y < radius || x >= width - radius || y >= height - radius) return
    const mark = marks[ink % quiet]
    const shape = mark && forms[mark.form % forms.length]
    if (!shape) return
    const at = y * width + x
    const faintly = ink >= quiet
    for (const offset of shape.fill) pixels[at + offset] = faintly ? faint : mark.colour
    if (!faintly && mark.stripe !== null) for (const offset of shape.stripe) pixels[at + offset] = mark.stripe
  }
}

/** Pixels of a form around its middle, and of the stripe across it, as steps in an image of this width. */
export function stamp(form: number, radius: number, width: number): { fill: Int32Array; stripe: Int32Array } {
  const fill: number[] = []
  const stripe: number[] = []
  const half = Math.max(0, Math.round(radius / 3) - 1)
  for (let dy = -radius; dy <= radius; dy += 1) {
    for (let dx = -radius; dx <= radius; dx += 1) {
      const inside = form === 0 ? dx * dx + dy * dy <= radius * radius + 0.5 : form === 1 ? true : Math.abs(dx) + Math.abs(dy) <= radius
      if (!inside) continue
      fill.push(dy * width + dx)
      if (Math.abs(form === 2 ? dx - dy : dx + dy) <= half) stripe.push(dy * width + dx)
    }
  }
  return { fill: Int32Array.from(fill), stripe: Int32Array.from(stripe) }
}

/** `#3355d1` or `rgb(51, 85, 209)` as a pixel of a canvas on a little-endian machine. */
export function pixelOf(colour: string): number {
  const text = colour.trim()
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text)?.[1]
  const parts = hex === undefined ? (text.match(/\d+/g) ?? []).slice(0, 3).map(Number) : hexParts(hex)
  const [red = 0, green = 0, blue = 0] = parts
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
}

function hexParts(hex: string): number[] {
  const step = hex.length === 3 ? 1 : 2
  return [0, 1, 2].map((place) => {
    const part = hex.slice(place * step, (place + 1) * step)
    return parseInt(step === 1 ? part + part : part, 16)
  })
}
