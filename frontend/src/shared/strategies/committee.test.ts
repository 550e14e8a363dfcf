import { expect, test } from 'vitest'

import { committeeDraft, committeeOf, committeeWords, nobodyElse, versionsFault } from './committee'

test('a committee of versions, of mirror images and of dropout masks becomes the same again', () => {
  for (const stored of [null, { versions: [3, 4] }, { flips: true }, { dropout: { members: 5, rate: 0.1, seed: 0 } }]) {
    expect(committeeOf(committeeDraft(stored))).toEqual(stored)
  }
})

test('what is no version number is left out', () => {
  expect(committeeOf({ ...nobodyElse, kind: 'versions', versions: '3, v4,' })).toEqual({ versions: [3, 4] })
  expect(versionsFault('3, v4, ')).toBeNull()
  expect(versionsFault('3, best')).toMatch(/^Type numbers of versions/)
})

test('a committee is told in words', () => {
  expect(committeeWords({ versions: [3, 4] })).toBe('versions v3, v4')
  expect(committeeWords({ flips: true })).toBe('the image and its mirror image')
  expect(committeeWords(null)).toBeNull()
})
