import { expect, test } from 'vitest'

import { reviewListSearch, reviewSearch, teamSearch } from './people-search'

test('an address that makes sense is read', () => {
  expect(reviewSearch({ reason: 'flag', state: 'done', at: '12' })).toEqual({ reason: 'flag', state: 'done', at: 12 })
  expect(teamSearch({ queue: '3', days: 7 })).toEqual({ queue: 3, days: 7 })
})

test('what makes no sense is left out', () => {
  expect(reviewListSearch({ reason: 'mood' })).toEqual({})
  expect(reviewSearch({ state: 'lost', at: '-1' })).toEqual({})
  expect(teamSearch({ queue: 'x', days: '0' })).toEqual({})
})
