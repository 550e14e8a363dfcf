import type { LabelValue } from '../../../shared/api/types'
import type { LeasedTask } from '../leased-task'
import { classSuggestion, isClasses, suggestedValue } from '../values'

/**
 * What stands of a tile: `suggested` by the model only; `sure`, a person confirmed or gave its label; `open`, no label yet;
 * `out`, the suggestion is wrong and the right class comes later; `skip`, nobody can say.
 */
export type Manner = 'suggested' | 'sure' | 'open' | 'out' | 'skip'

export interface Tile {
  leasedTask: LeasedTask
  manner: Manner
  /** What is said of it when the page is accepted; null where nothing is, or it is skipped. */
  value: LabelValue | null
  /** Why it is skipped. */
  reason: string
}

export interface TileQueue {
  classes: readonly string[]
  several: boolean
  /** Suggestions less sure than this are never accepted with the page; null sets no bound. */
  threshold: number | null
}

/** A tile as it comes: with the model's suggestion, unless it was left out before and waits for its class. */
export function freshTile(leasedTask: LeasedTask, { several }: TileQueue, leftOut = false): Tile {
  const value = leftOut ? null : suggestedValue(leasedTask.task, several)
  return { leasedTask, manner: value === null ? 'open' : 'suggested', value, reason: '' }
}

/** How sure the model is; null where it says nothing. */
export function sureness({ leasedTask }: Tile): number | null {
  return classSuggestion(leasedTask.task)?.probability ?? null
}

/** Whether a person must look at the tile before its suggestion may be taken. */
export function needsLook(tile: Tile, { threshold }: TileQueue): boolean {
  return tile.manner === 'suggested' && threshold !== null && (sureness(tile) ?? 0) < threshold
}

/** Whether accepting the page says something of this tile. */
export function isSaid(tile: Tile, queue: TileQueue): boolean {
  return tile.manner === 'sure' || tile.manner === 'skip' || (tile.manner === 'suggested' && !needsLook(tile, queue))
}

export function labelled(tile: Tile, name: string, { classes, several }: TileQueue): Tile {
  if (!several) return { ...tile, manner: 'sure', value: { class: name }, reason: '' }
  const before = tile.value !== null && isClasses(tile.value) ? tile.value.classes : []
  const after = before.includes(name) ? before.filter((each) => each !== name) : [...before, name]
  return { ...tile, manner: 'sure', value: { classes: classes.filter((each) => after.includes(each)) }, reason: '' }
}

/** Agreeing with what stands on the tile, or with what the model says of it. */
export function confirmed(tile: Tile, { several }: TileQueue): Tile {
  const value = tile.value ?? suggestedValue(tile.leasedTask.task, several)
  return value === null ? tile : { ...tile, manner: 'sure', value, reason: '' }
}

/** Left out of the page, or put back as it came. */
export function toggledOut(tile: Tile, queue: TileQueue): Tile {
  return tile.manner === 'out' ? freshTile(tile.leasedTask, queue) : { ...tile, manner: 'out', value: null, reason: '' }
}

export function skipped(tile: Tile, reason: string): Tile {
  return { ...tile, manner: 'skip', value: null, reason }
}

export interface PageCounts {
  /** Suggestions taken as they are. */
  taken: number
  /** Labelled, corrected or confirmed by hand. */
  sure: number
  skipped: number
  out: number
  /** Not sure enough to be taken unseen, or without any label yet. */
  staying: number
}

export function countTiles(tiles: readonly Tile[], queue: TileQueue): PageCounts {
  const number = (test: (tile: Tile) => boolean) => tiles.filter(test).length
  return {
    taken: number((tile) => tile.manner === 'suggested' && !needsLook(tile, queue)),
    sure: number((tile) => tile.manner === 'sure'),
    skipped: number((tile) => tile.manner === 'skip'),
    out: number((tile) => tile.manner === 'out'),
    staying: number((tile) => tile.manner === 'open' || needsLook(tile, queue)),
  }
}
