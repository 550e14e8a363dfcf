import type { Split } from '../api/types'

/** The search part of a dataset grid's address; other pages link into it. */
export interface GridSearch {
  v?: number
  /** Of several splits, labels or tags one must hold. */
  split?: Split[]
  label?: string[]
  tag?: string[]
  labelled?: boolean
  q?: string
  /** The name of a saved filter. */
  slice?: string
  /** Sample ids with commas: a selection that was made elsewhere. */
  ids?: string
  /** More conditions, as the text form of a filter. */
  filter?: string
  /** Whose predictions are shown, like `signs@production`; the next five are about them. */
  model?: string
  predicted?: string[]
  correct?: boolean
  /** Confidence from here on, and up to here. */
  above?: number
  below?: number
  /** From which score on boxes and classes are shown, in place of the model's own thresholds. */
  bar?: number
  order?: GridOrder
  /** Of the random order. */
  seed?: number
  /** The key of a sample: the grid is ordered by likeness to it, or to the part `crop` of it, `x,y,width,height` in px. */
  similar?: string
  crop?: string
  /** Words that the grid is ordered by likeness to, in place of a sample. */
  words?: string
  /** Whose embeddings say what is alike, like `signs@production`; the backbone's without it. */
  by?: string
  /** The name of an encoder whose embeddings say so, of words or of a sample, in place of a model's. */
  encoder?: string
}

/** How the grid may be ordered, besides by when samples were added; a minus turns an order round. */
export const gridOrders = ['-added', 'key', '-key', 'random', '-uniqueness', 'uniqueness', 'confidence', '-confidence', '-loss', 'loss'] as const
export type GridOrder = (typeof gridOrders)[number]
const ofModels: readonly GridOrder[] = ['confidence', '-confidence', '-loss', 'loss']

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
    ...several('split', listed(search.split).filter(isSplit)),
    ...several('label', listed(search.label)),
    ...several('tag', listed(search.tag)),
    ...(labelled === 'true' || labelled === 'false' ? { labelled: labelled === 'true' } : {}),
    ...text('q', search.q),
    ...text('slice', search.slice),
    ...text('filter', search.filter),
    ...(/^\d+(,\d+)*$/.test(String(search.ids)) ? { ids: String(search.ids) } : {}),
    ...predictions(search),
    ...order(search),
    ...similar(search),
  }
}

/** Without a model nothing was predicted. */
function predictions({ model, predicted, correct, above, below, bar }: Record<string, unknown>): GridSearch {
  const known = text('model', model)
  if (known.model === undefined) return {}
  const right = String(correct)
  return {
    ...known,
    ...several('predicted', listed(predicted)),
    ...(right === 'true' || right === 'false' ? { correct: right === 'true' } : {}),
    ...share('above', above),
    ...share('below', below),
    ...share('bar', bar),
  }
}

function order({ order: name, seed, model }: Record<string, unknown>): GridSearch {
  const known = gridOrders.find((one) => one === name)
  if (known === undefined || (ofModels.includes(known) && text('model', model).model === undefined)) return {}
  const number = Number(seed)
  return { order: known, ...(known === 'random' && Number.isInteger(number) && number > 0 && number < 2 ** 31 ? { seed: number } : {}) }
}

function share<Name extends string>(name: Name, value: unknown): Partial<Record<Name, number>> {
  const number = value === undefined || value === '' ? NaN : Number(value)
  return (number >= 0 && number <= 1 ? { [name]: number } : {}) as Partial<Record<Name, number>>
}

/** Another model's predictions, or none: what was said of the one before means nothing of it. */
export function withModel(search: GridSearch, model: string | null): GridSearch {
  const about = ['model', 'predicted', 'correct', 'above', 'below', 'bar']
  const rest = Object.fromEntries(Object.entries(search).filter(([name]) => !about.includes(name)))
  return gridSearch({ ...rest, ...(model === null ? {} : { model }) })
}

/** A part, or whose embeddings, without a sample means nothing; beside a sample words don't, beside words a model doesn't. */
function similar({ similar: key, crop, by, words, encoder }: Record<string, unknown>): Pick<GridSearch, 'similar' | 'crop' | 'by' | 'words' | 'encoder'> {
  const known = text('similar', key)
  const brought = text('encoder', encoder)
  if (known.similar !== undefined) return { ...known, ...(partOf(crop) ? { crop: String(crop) } : {}), ...(brought.encoder === undefined ? text('by', by) : brought) }
  const typed = text('words', words)
  return typed.words === undefined ? {} : { ...typed, ...brought }
}

export function withoutSimilar(search: GridSearch): GridSearch {
  const of = ['similar', 'crop', 'by', 'words', 'encoder']
  return Object.fromEntries(Object.entries(search).filter(([name]) => !of.includes(name)))
}

function text<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as Partial<Record<Name, string>>
}

/** What an address has once or several times, each value once. */
function listed(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return [...new Set(values.filter((one) => typeof one === 'string' && one !== ''))] as string[]
}

function several<Name extends string, Value>(name: Name, values: Value[]): Partial<Record<Name, Value[]>> {
  return (values.length === 0 ? {} : { [name]: values }) as Partial<Record<Name, Value[]>>
}

/** Of each of these an address may name several. */
export const severalNames = ['split', 'label', 'tag', 'predicted'] as const

/** With this value of a facet too, or without it where it is there. */
export function toggled(search: GridSearch, name: (typeof severalNames)[number], value: string): GridSearch {
  const before: readonly string[] = search[name] ?? []
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value]
  const changed: Record<string, unknown> = { ...without(search, name), ...several(name, after) }
  return gridSearch(changed)
}

export function without(search: GridSearch, name: keyof GridSearch): GridSearch {
  return Object.fromEntries(Object.entries(search).filter(([key]) => key !== name))
}
