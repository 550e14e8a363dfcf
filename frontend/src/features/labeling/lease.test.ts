import { expect, test } from 'vitest'

import { clockSkew, dueForRenewal, held, secondsLeft } from './lease'

const served = Date.parse('2026-03-01T12:00:00Z')
const lease = { lease_until: '2026-03-01T12:10:00Z', lease_token: 3 }
const answered = (date?: string) => new Response(null, { headers: date === undefined ? {} : { Date: date } })

test.each([-3_600_000, 0, 3_600_000])('a lease of ten minutes is one on a clock that is %i ms wrong', (wrong) => {
  const now = served + wrong
  const mine = held(lease, clockSkew(answered('Sun, 01 Mar 2026 12:00:00 GMT'), now), now)
  expect(secondsLeft(mine, now)).toBe(600)
  expect(secondsLeft(mine, now + 601_000)).toBe(0)
  expect([299_000, 300_000].map((later) => dueForRenewal(mine, now + later))).toEqual([false, true])
})

test('a difference that the header cannot show is none', () => {
  expect(clockSkew(answered('Sun, 01 Mar 2026 12:00:00 GMT'), served + 1_900)).toBe(0)
  expect(clockSkew(answered(), served)).toBe(0)
})
