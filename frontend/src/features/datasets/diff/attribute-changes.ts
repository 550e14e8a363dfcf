import type { Sample } from '../../../shared/api/types'
import { type LabelObject, labelObjects } from '../../../shared/format/labels'
import { plural } from '../../../shared/format/numbers'

interface Pair {
  before: LabelObject
  after: LabelObject
}

/** The objects that stand where they stood and carry something else. */
export function carriedChanges(before: Sample['label'], after: Sample['label']): Pair[] {
  const left = new Map<string, LabelObject[]>()
  for (const one of labelObjects(before)) left.set(standing(one), [...(left.get(standing(one)) ?? []), one])
  return labelObjects(after).flatMap((one) => {
    const was = left.get(standing(one))?.shift()
    return was && changedNames(was, one).length > 0 ? [{ before: was, after: one }] : []
  })
}

/** What of it changed on how many objects: `2 objects: occluded, track`. */
export function carriedWords(pairs: readonly Pair[]): string {
  const names = new Set(pairs.flatMap(({ before, after }) => changedNames(before, after)))
  return `${plural(pairs.length, 'object')}: ${[...names].sort().join(', ')}`
}

function standing({ kind, class: name, place }: LabelObject): string {
  return JSON.stringify([kind, kind === 'ignored' ? null : name, place])
}

function changedNames(before: LabelObject, after: LabelObject): string[] {
  const [old, now] = [told(before), told(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]))
}

function told({ attributes, id, track }: LabelObject): Record<string, unknown> {
  return { ...attributes, ...(id !== undefined && { id }), ...(track !== undefined && { track }) }
}
