import type { Version } from '../../shared/api/types'

/** A version in one line of a list: number, names, message. */
export function versionWords({ version, names, message }: Version): string {
  return [`v${version}`, names.join(', '), message].filter((part) => part !== '').join(' · ')
}
