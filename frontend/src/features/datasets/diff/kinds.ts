import type { Diff, DiffKind } from '../../../shared/api/types'
import { diffKinds } from '../../../shared/routes/diff-search'
import { taskTypeOf } from '../../../tasktypes'

/** What to say where a kind has nothing to show. */
export const noneWords: Record<DiffKind, string> = {
  added: 'No sample was added',
  removed: 'No sample was removed',
  changed: 'No image file changed',
  relabelled: 'No label changed',
  boxes_moved: 'No box moved',
  attributes_changed: 'No attribute, id or track of an object changed',
  split_moved: 'No sample moved to another split',
  meta_changed: 'No metadata changed',
}

/** How many samples differ in this way. */
export function amountOf(counts: Diff['counts'], kind: DiffKind): number {
  return counts[kind] ?? 0
}

const ofObjects: ReadonlySet<DiffKind> = new Set(['boxes_moved', 'attributes_changed'])

/** In the order of the tabs. Those about objects are left out where there are none: a dataset without objects has no use for them. */
export function shownKinds(counts: Diff['counts'], task: string): DiffKind[] {
  return diffKinds.filter((kind) => !ofObjects.has(kind) || taskTypeOf(task).answer === 'shapes' || amountOf(counts, kind) > 0)
}

/** The kind to open with: the wanted one, else the first that has something to show. */
export function openingKind(counts: Diff['counts'], wanted: DiffKind | undefined): DiffKind {
  return wanted ?? diffKinds.find((kind) => amountOf(counts, kind) > 0) ?? 'added'
}

/** What changed at all, in the order of `names`; names that are not among them come last. */
export function changedCounts(deltas: Readonly<Record<string, number>>, names: readonly string[]): [string, number][] {
  const place = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length)
  return Object.entries(deltas)
    .filter(([, delta]) => delta !== 0)
    .sort(([a], [b]) => place(a) - place(b))
}
