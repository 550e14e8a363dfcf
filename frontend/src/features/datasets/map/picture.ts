import type { SpatialIndex } from './spatial-index'
import type { Level } from './squares'

/** What a point looks like: a colour as a canvas keeps it (ABGR), and a form with a stripe, so that colour is never the only cue. */
export interface MapMark {
  colour: number
  /** A disc, a square, a diamond, for classes that share a colour. */
  form: number
  /** Of the stripe across it, as the swatch of the class has them; null for none. */
  stripe: number | null
}

/** Whether each point is drawn for itself, or how many lie where; `auto`: the latter where points would hide each other. */
export type Drawn = 'auto' | 'points' | 'density'

export interface Picture {
  index: SpatialIndex
  /** Which of the marks each point has, in the order of the index; with `quiet` added for those drawn faint, below the others. */
  inks: Uint16Array
  /** Places in the index of the points in colour where they are few, which a density alone would lose; else null. */
  few: Uint32Array | null
  /** What lies where, of the same inks. */
  levels: readonly Level[]
  /** The last mark is that of points without a class. */
  marks: readonly MapMark[]
  faint: number
  ground: number
  drawn: Drawn
  /** Pixels of the canvas to one of the page. */
  ratio: number
}
