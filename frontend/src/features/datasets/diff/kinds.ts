import type { Diff, DiffKind } from '../../../shared/api/types'
import { diffKinds } from '../../../shared/routes/diff-search'

export const kindWords: Record<DiffKind, string> = {
  added: 'Added',
  removed: 'Removed',
  changed: 'New bytes',
  relabelled: 'Relabelled',
  boxes_moved: 'Boxes moved',
  split_moved: 'Split moved',
  meta_changed: 'Metadata',
}

/** What to say where a kind has nothing to show. */
export const noneWords: Record<DiffKind, string> = {
  added: 'No sample was added',
  removed: 'No sample was removed',
  changed: 'No image has other bytes',
  relabelled: 'No label changed',
  boxes_moved: 'No box moved',
  split_moved: 'No sample went to another split',
  meta_changed: 'No metadata changed',
}

/** How many samples differ in this way. */
export function amountOf(counts: Diff['counts'], kind: DiffKind): number {
  return counts[kind] ?? 0
}

/** In the order of the tabs. Boxes are left out where there are none: a classification dataset has no use for the tab. */
export function shownKinds(counts: Diff['counts'], task: string): DiffKind[] {
  return diffKinds.filter((kind) => kind !== 'boxes_moved' || task === 'detection' || amountOf(counts, 'boxes_moved') > 0)
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
