import type { DiffKind } from '../api/types'

/** The search part of a comparison's address. Versions may be said by number or by name; without them, the newest and its parent. */
export interface DiffSearch {
  from?: string
  to?: string
  /** Where `from` is looked for, if not here: the origin of a fork. */
  from_dataset?: string
  kind?: DiffKind
}

/** In the order of the tabs. */
export const kindWords: Record<DiffKind, string> = {
  added: 'Added',
  removed: 'Removed',
  changed: 'File changed',
  relabelled: 'Relabelled',
  boxes_moved: 'Boxes moved',
  attributes_changed: 'Attributes changed',
  split_moved: 'Split moved',
  meta_changed: 'Metadata',
}

export const diffKinds = Object.keys(kindWords) as DiffKind[]

function isKind(value: unknown): value is DiffKind {
  return (diffKinds as readonly unknown[]).includes(value)
}

/** Reads an address that anybody may have typed: what makes no sense is left out. */
export function diffSearch(search: Record<string, unknown>): DiffSearch {
  return {
    ...reference('from', search.from),
    ...reference('to', search.to),
    ...reference('from_dataset', search.from_dataset),
    ...(isKind(search.kind) ? { kind: search.kind } : {}),
  }
}

function reference<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as Partial<Record<Name, string>>
}
