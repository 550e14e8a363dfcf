import type { Version } from '../../shared/api/types'
import type { Choice } from '../../shared/picking/choices'

/** A version in one line of a list: number, names, message. */
export function versionWords({ version, names, message }: Version): string {
  return [`v${version}`, names.join(', '), message].filter((part) => part !== '').join(' · ')
}

export function versionChoice(version: Version): Choice<Version>[] {
  return [{ value: String(version.version), words: versionWords(version), row: version }]
}
