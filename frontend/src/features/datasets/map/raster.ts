import type { MapSize, MapView } from './view'

/** What a point looks like: a colour as a canvas keeps it (ABGR), and a form with a stripe, so that colour is never the only cue. */
export interface MapMark {
  colour: number
  /** A disc, a square, a diamond, for classes that share a colour. */
  form: number
  /** Of the stripe across it, as the swatch of the class has them; null for none. */
  stripe: number | null
}

export interface Picture {
  xy: Float32Array
  /** Which of the marks each point has. The last mark is that of points without a class. */
  groups: Uint16Array
  marks: readonly MapMark[]
  /** 1 for each selected point; null where all are shown alike. */
  selected: Uint8Array | null
  /** Of points without a class while nothing is selected, and of all that is not selected. */
  faint: number
  ground: number
  radius: number
}

/**
 * Writes the points into the pixels of a canvas, in place: a hundred thousand take a few milliseconds, where drawing paths
 * would take a hundred. Points without a class lie faint and small below the others, selected points over all.
 */
export function rasterise(pixels: Uint32Array, size: MapSize, view: MapView, picture: Picture): void {
  pixels.fill(picture.ground)
  const { selected, groups } = picture
  const unclassed = picture.marks.length - 1
  const quiet = { ...picture, radius: Math.max(1, picture.radius - 1) }
  if (selected) stampAll(pixels, size, view, quiet, (index) => selected[index] === 0, true)
  else stampAll(pixels, size, view, quiet, (index) => groups[index] === unclassed, true)
  if (selected) stampAll(pixels, size, view, picture, (index) => selected[index] === 1 && groups[index] === unclassed, false)
  stampAll(pixels, size, view, picture, (index) => (!selected || selected[index] === 1) && groups[index] !== unclassed, false)
}

/** A mark alone, for the legend: what it shows is what the map shows. */
export function rasteriseMark(pixels: Uint32Array, side: number, mark: MapMark): void {
  const middle = Math.floor(side / 2)
  const at = middle * side + middle
  const { fill, stripe } = stamp(mark.form, middle - 1, side)
  for (const offset of fill) pixels[at + offset] = mark.colour
  if (mark.stripe !== null) for (const offset of stripe) pixels[at + offset] = mark.stripe
}

function stampAll(pixels: Uint32Array, { width, height }: MapSize, view: MapView, picture: Picture, drawn: (index: number) => boolean, faintly: boolean): void {
  const { xy, groups, marks, radius, faint } = picture
  const forms = [0, 1, 2].map((form) => stamp(form, radius, width))
  for (let index = 0; index < groups.length; index += 1) {
    if (!drawn(index)) continue
    const x = Math.round((xy[2 * index] ?? 0) * view.scale + view.x)
    const y = Math.round((xy[2 * index + 1] ?? 0) * view.scale + view.y)
    if (x < radius || y < radius || x >= width - radius || y >= height - radius) continue
    const mark = marks[groups[index] ?? 0]
    const shape = mark && forms[mark.form % forms.length]
    if (!shape) continue
    const at = y * width + x
    const ink = faintly ? faint : mark.colour
    for (const offset of shape.fill) pixels[at + offset] = ink
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
