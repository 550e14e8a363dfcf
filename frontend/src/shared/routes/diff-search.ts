import type { DiffKind } from '../api/types'

/** The search part of a comparison's address. Versions may be said by number or by name; without them, the newest and its parent. */
export interface DiffSearch {
  from?: string
  to?: string
  /** Where `from` is looked for, if not here: the origin of a fork. */
  from_dataset?: string
  kind?: DiffKind
}

export const diffKinds = [
  'added',
  'removed',
  'changed',
  'relabelled',
  'boxes_moved',
  'split_moved',
  'meta_changed',
] as const satisfies readonly DiffKind[]

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
