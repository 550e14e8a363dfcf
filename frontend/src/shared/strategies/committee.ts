import type { Committee, OpenSettings } from '../api/mining-types'
import { amount } from '../format/amount'

/** Who votes beside the model, as it is typed. */
export interface CommitteeDraft {
  kind: 'none' | 'versions' | 'flips' | 'dropout'
  /** Numbers of versions, with commas between. */
  versions: string
  members: string
  rate: string
}

export const nobodyElse: CommitteeDraft = { kind: 'none', versions: '', members: '10', rate: '0.2' }

export function committeeOf({ kind, versions, members, rate }: CommitteeDraft): Committee | null {
  if (kind === 'none') return null
  if (kind === 'versions') return { versions: versions.split(',').flatMap((text) => versionNumber(text) ?? []) }
  if (kind === 'flips') return { flips: true }
  return { dropout: { members: amount(members) ?? 10, rate: amount(rate) ?? 0.2, seed: 0 } }
}

/** `3` and `v3`; null where it is neither. */
function versionNumber(text: string): number | null {
  const digits = /^\s*v?(\d+)\s*$/i.exec(text)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** What is wrong with versions as they are typed. */
export function versionsFault(versions: string): string | null {
  const wrong = versions.split(',').some((text) => text.trim() !== '' && versionNumber(text) === null)
  return wrong ? 'Type numbers of versions with commas between, such as 3, 4.' : null
}

export function committeeDraft(open: OpenSettings): CommitteeDraft {
  if (open === null) return nobodyElse
  const stored = open as Committee
  if ('versions' in stored) return { ...nobodyElse, kind: 'versions', versions: stored.versions.join(', ') }
  if ('flips' in stored) return { ...nobodyElse, kind: 'flips' }
  return { ...nobodyElse, kind: 'dropout', members: String(stored.dropout.members), rate: String(stored.dropout.rate) }
}

/** A committee in a few words. */
export function committeeWords(open: OpenSettings): string | null {
  if (open === null) return null
  const committee = open as Committee
  if ('versions' in committee) return `versions ${committee.versions.map((version) => `v${version}`).join(', ')}`
  if ('flips' in committee) return 'the image and its mirror image'
  return `${committee.dropout.members} dropout masks at rate ${committee.dropout.rate}`
}
