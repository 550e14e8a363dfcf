import type { Split } from '../api/types'

/** The search part of a dataset grid's address; other pages link into it. */
export interface GridSearch {
  v?: number
  split?: Split
  label?: string
  labelled?: boolean
  q?: string
  /** The name of a saved filter. */
  slice?: string
  /** Sample ids with commas: a selection that was made elsewhere. */
  ids?: string
  /** More conditions, as the text form of a filter. */
  filter?: string
  /** The key of a sample: the grid is ordered by likeness to it, or to the part `crop` of it, `x,y,width,height` in px. */
  similar?: string
  crop?: string
  /** Words that the grid is ordered by likeness to, in place of a sample. */
  words?: string
  /** Whose embeddings say what is alike, like `signs@production`; the backbone's without it. */
  by?: string
}

/** A part of an image, in whole pixels. */
export interface Part {
  x: number
  y: number
  width: number
  height: number
}

export function partOf(text: unknown): Part | null {
  const [, x, y, width, height] = /^(\d{1,6}),(\d{1,6}),([1-9]\d{0,5}),([1-9]\d{0,5})$/.exec(String(text)) ?? []
  return height === undefined ? null : { x: Number(x), y: Number(y), width: Number(width), height: Number(height) }
}

/** More would make the address longer than servers like. */
export const mostIds = 500

export const splits = ['pool', 'train', 'val', 'test'] as const satisfies readonly Split[]

export function isSplit(value: unknown): value is Split {
  return (splits as readonly unknown[]).includes(value)
}

/** Reads an address that anybody may have typed: what makes no sense is left out. */
export function gridSearch(search: Record<string, unknown>): GridSearch {
  const version = Number(search.v)
  const labelled = String(search.labelled)
  return {
    ...(Number.isInteger(version) && version > 0 ? { v: version } : {}),
    ...(isSplit(search.split) ? { split: search.split } : {}),
    ...text('label', search.label),
    ...(labelled === 'true' || labelled === 'false' ? { labelled: labelled === 'true' } : {}),
    ...text('q', search.q),
    ...text('slice', search.slice),
    ...text('filter', search.filter),
    ...(/^\d+(,\d+)*$/.test(String(search.ids)) ? { ids: String(search.ids) } : {}),
    ...similar(search),
  }
}

/** A part, or a model, without a sample means nothing; beside a sample words don't. */
function similar({ similar: key, crop, by, words }: Record<string, unknown>): Pick<GridSearch, 'similar' | 'crop' | 'by' | 'words'> {
  const known = text('similar', key)
  return known.similar === undefined ? text('words', words) : { ...known, ...(partOf(crop) ? { crop: String(crop) } : {}), ...text('by', by) }
}

export function withoutSimilar(search: GridSearch): GridSearch {
  return without(without(without(without(search, 'similar'), 'crop'), 'by'), 'words')
}

function text<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as Partial<Record<Name, string>>
}

export function without(search: GridSearch, name: keyof GridSearch): GridSearch {
  return Object.fromEntries(Object.entries(search).filter(([key]) => key !== name))
}
