import { expect, test } from 'vitest'

import { unsavedIn } from './unsaved'

const first = { name: '', budget: { labels: '', money: '' }, strategies: ['margin'] }

test('each part of a draft that differs counts once, and one that is put back does not', () => {
  expect(unsavedIn(first, first)).toBe(0)
  expect(unsavedIn(first, { ...first, name: 'nightly', budget: { labels: '5', money: '7' } })).toBe(2)
  expect(unsavedIn(first, { ...first, strategies: ['margin'] })).toBe(0)
})
