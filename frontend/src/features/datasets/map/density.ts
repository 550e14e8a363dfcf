import type { Picture } from './picture'
import { addPoints, emptied, emptySquares, type Squares } from './squares'
import { type MapSize, type MapView, partOf } from './view'

/**
 * Writes how many points lie where into the pixels of a canvas: a square, of at least `least` px, is stronger the more points of
 * a class lie in it, by the logarithm, in the colour and pattern of the class that leads there. Faint points show where no other
 * lies. Squares are fixed to the map, so they stay the same while it moves. Returns what the next call may use again.
 */
export function rasteriseDensity(pixels: Uint32Array, size: MapSize, view: MapView, picture: Picture, least: number, kept: Squares | null): Squares | null {
  const { index } = picture
  const level = picture.levels.find(({ square }) => square * view.scale >= least)
  if (level && level.square * view.scale < 2 * least) {
    const [startX, startY] = [index.bounds.left * view.scale + view.x, index.bounds.top * view.scale + view.y]
    paint(pixels, size, level, { startX, startY, square: level.square * view.scale, full: level.most }, view, picture)
    return kept
  }
  const [startX, startY] = [mod(view.x, least) - least, mod(view.y, least) - least]
  const [columns, rows] = [Math.ceil((size.width - startX) / least), Math.ceil((size.height - startY) / least)]
  const squares = kept?.columns === columns && kept.rows === rows ? emptied(kept) : emptySquares(columns, rows)
  addPoints(squares, index, picture.inks, partOf(view, size), [view.scale / least, (view.x - startX) / least, (view.y - startY) / least])
  const { densest, cell } = index
  const full = (densest * least * least) / (cell[0] * view.scale * cell[1] * view.scale)
  paint(pixels, size, squares, { startX, startY, square: least, full }, view, picture)
  return squares
}

interface Layout {
  /** Where the first square begins on the canvas, in px. */
  startX: number
  startY: number
  square: number
  /** Points of a square that is drawn in full. It depends on the scale alone, so that nothing flickers while a map moves. */
  full: number
}

const steps = 24
/** How strongly a lone point is drawn. */
const weakest = 0.55
/** The pattern across classes that share a colour, in px, and how much of it covers the colour. */
const hatch = { every: 7, wide: 2, cover: 0.7 }

function paint(pixels: Uint32Array, { width, height }: MapSize, squares: Squares, { startX, startY, square, full }: Layout, view: MapView, picture: Picture): void {
  const { counts, quietCounts, marks, columns, rows } = squares
  const { ground, faint } = picture
  const strengths = strengthsFor(full)
  const last = strengths.length - 1
  const plain = shades(ground, picture.marks.map(({ colour }) => colour))
  const striped = shades(ground, picture.marks.map(({ colour, stripe }) => (stripe === null ? colour : mixed(colour, stripe, hatch.cover))))
  const faints = shades(ground, [faint])
  const forms = Uint8Array.from(picture.marks, ({ form, stripe }) => (stripe === null ? 0 : form))
  const columnOf = Int32Array.from({ length: width }, (_, x) => Math.floor((x - startX) / square))
  const [left, right] = [columnOf.findIndex((column) => column >= 0), columnOf.findLastIndex((column) => column < columns)]
  const across = mod(Math.round(view.x), hatch.every)
  const down = mod(Math.round(view.y), hatch.every)
  pixels.fill(ground)
  for (let y = 0; y < height && left >= 0; y += 1) {
    const row = Math.floor((y - startY) / square)
    if (row < 0 || row >= rows) continue
    for (let x = left; x <= right; x += 1) {
      const at = row * columns + (columnOf[x] ?? 0)
      const points = counts[at] ?? 0
      if (points > 0) {
        const mark = marks[at] ?? 0
        const form = forms[mark] ?? 0
        const isStripe = form > 0 && (form === 2 ? x - across - y + down + hatch.every * height : x - across + y - down + 2 * hatch.every) % hatch.every < hatch.wide
        pixels[y * width + x] = (isStripe ? striped : plain)[mark * steps + (strengths[points < last ? points : last] ?? 0)] ?? ground
      } else {
        const faintly = quietCounts[at] ?? 0
        if (faintly > 0) pixels[y * width + x] = faints[strengths[faintly < last ? faintly : last] ?? 0] ?? ground
      }
    }
  }
}

const fewestInFull = 4
const mostSteps = 1 << 16

/** The step of strength for each count, up to the count that is drawn in full. */
function strengthsFor(full: number): Uint8Array {
  const most = Math.min(mostSteps, Math.max(fewestInFull, Math.ceil(full)))
  return Uint8Array.from({ length: most + 1 }, (_, points) => Math.round(((steps - 1) * Math.log1p(points)) / Math.log1p(most)))
}

/** Each colour in each strength over the ground. */
function shades(ground: number, colours: readonly number[]): Uint32Array {
  return Uint32Array.from(colours.flatMap((colour) => Array.from({ length: steps }, (_, step) => mixed(ground, colour, weakest + ((1 - weakest) * step) / (steps - 1)))))
}

function mixed(below: number, above: number, cover: number): number {
  const part = (shift: number) => Math.round(((below >>> shift) & 255) * (1 - cover) + ((above >>> shift) & 255) * cover) << shift
  return ((255 << 24) | part(16) | part(8) | part(0)) >>> 0
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by
}
