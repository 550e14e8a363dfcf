import type { Promotion } from '../../shared/api/types'

/** The version that an alias pointed to before its last move; null when there is none. */
export function versionBefore(alias: string, promotions: readonly Promotion[]): number | null {
  const moves = promotions.filter((move) => move.alias === alias).sort((a, b) => (a.created < b.created ? 1 : -1))
  return moves[0]?.previous ?? null
}
