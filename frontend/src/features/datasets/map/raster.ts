import type { Size, View } from './view'

/** What a point looks like: a colour as a canvas keeps it (ABGR), and a form, so that colour is never the only cue. */
export interface Mark {
  colour: number
  /** A disc, a square, a diamond, for classes that share a colour. */
  form: number
}

export interface Picture {
  xy: Float32Array
  /** Which of the marks each point has. */
  groups: Uint16Array
  marks: readonly Mark[]
  /** 1 for each selected point; null where all are shown alike. */
  selected: Uint8Array | null
  /** Of what is not selected. */
  faint: number
  ground: number
  radius: number
}

/**
 * Writes the points into the pixels of a canvas, in place: a hundred thousand take a few milliseconds, where drawing paths
 * would take a hundred. Selected points lie over the others.
 */
export function rasterise(pixels: Uint32Array, size: Size, view: View, picture: Picture): void {
  pixels.fill(picture.ground)
  const { selected } = picture
  const small = Math.max(1, picture.radius - 1)
  if (selected) stampAll(pixels, size, view, { ...picture, radius: small }, (index) => selected[index] === 0, picture.faint)
  stampAll(pixels, size, view, picture, (index) => !selected || selected[index] === 1, null)
}

function stampAll(pixels: Uint32Array, { width, height }: Size, view: View, picture: Picture, drawn: (index: number) => boolean, colour: number | null): void {
  const { xy, groups, marks, radius } = picture
  const forms = [0, 1, 2].map((form) => stamp(form, radius, width))
  const shapes = marks.map(({ form }) => forms[form % forms.length] ?? new Int32Array())
  for (let index = 0; index < groups.length; index += 1) {
    if (!drawn(index)) continue
    const x = Math.round((xy[2 * index] ?? 0) * view.scale + view.x)
    const y = Math.round((xy[2 * index + 1] ?? 0) * view.scale + view.y)
    if (x < radius || y < radius || x >= width - radius || y >= height - radius) continue
    const group = groups[index] ?? 0
    const shape = shapes[group]
    if (!shape) continue
    const at = y * width + x
    const ink = colour ?? marks[group]?.colour ?? 0
    for (const offset of shape) pixels[at + offset] = ink
  }
}

/** Pixels of a form around its middle, as steps in an image of this width. */
export function stamp(form: number, radius: number, width: number): Int32Array {
  const offsets: number[] = []
  for (let dy = -radius; dy <= radius; dy += 1) {
    for (let dx = -radius; dx <= radius; dx += 1) {
      const inside = form === 0 ? dx * dx + dy * dy <= radius * radius + 0.5 : form === 1 ? true : Math.abs(dx) + Math.abs(dy) <= radius
      if (inside) offsets.push(dy * width + dx)
    }
  }
  return Int32Array.from(offsets)
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
