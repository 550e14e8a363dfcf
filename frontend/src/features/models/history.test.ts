import { expect, test } from 'vitest'

import type { Promotion } from '../../shared/api/types'
import { versionBefore } from './history'

const move = (alias: string, version: number, previous: number | null, created: string): Promotion => ({
  alias,
  version,
  previous,
  created,
  reason: 'better',
  gates: [],
  overridden: false,
  by: 'ana',
})

test('an alias goes back to where its last move came from, whatever the others did', () => {
  const moves = [move('production', 1, null, '2026-01-01'), move('production', 3, 1, '2026-01-03'), move('staging', 4, 2, '2026-01-04')]
  expect(versionBefore('production', moves)).toBe(1)
  expect(versionBefore('staging', moves)).toBe(2)
})

test('an alias that moved once, or never, goes back nowhere', () => {
  expect(versionBefore('production', [move('production', 1, null, '2026-01-01')])).toBeNull()
  expect(versionBefore('production', [])).toBeNull()
})
