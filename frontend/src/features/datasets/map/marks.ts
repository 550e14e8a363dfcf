import { classMark } from '../../../shared/format/class-colours'
import type { MapMark } from './picture'
import { pixelOf } from './raster'

/** By pattern of the class's colour: white stripes, then black ones, as swatches have them. */
const stripes = [null, '#ffffff', '#000000'] as const

/** How a map draws the points of a class; `classes` give the colours in their order. */
export function markOf(classes: readonly string[], name: string): MapMark {
  const { colour, pattern } = classMark(classes, name)
  const stripe = stripes[pattern] ?? null
  return { colour: pixelOf(colour), form: pattern, stripe: stripe === null ? null : pixelOf(stripe) }
}

/** The ink of points that say nothing now: those without a class, and those that are not selected. */
export function faintInk(dark: boolean): number {
  return pixelOf(dark ? '#4a5464' : '#c0c8d2')
}

/** Of points that have no class, when they are selected: grey. */
export function markOfNone(style: CSSStyleDeclaration): MapMark {
  return { colour: pixelOf(style.getPropertyValue('--text-3')), form: 0, stripe: null }
}
