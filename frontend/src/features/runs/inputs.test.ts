import { expect, test } from 'vitest'

import { changedWords, lostWords, readWords } from './inputs'

const none = { gone: 0, changed: 0, added: 0 }
const split = (samples: number) => ({ samples, sha256: 'a' })

test('what was read is counted, and what was erased since', () => {
  const read = { train: split(1200), validation: split(40) }
  expect(readWords({ read, lost: { train: 0, validation: 0 } })).toBe('1,200 samples to train, 40 to validate')
  expect(readWords({ read, lost: { train: 2, validation: 1 } })).toBe('1,200 samples to train, 40 to validate; 3 of them erased since')
})

test('a clone says what changed, by split', () => {
  expect(changedWords(null)).toBeNull()
  expect(changedWords({ run: 3, train: none, validation: none, same: true })).toBeNull()
  expect(changedWords({ run: 3, train: { gone: 3, changed: 1, added: 0 }, validation: none, same: null })).toBe('train 3 gone, 1 changed')
  expect(changedWords({ run: 3, train: none, validation: none, same: false })).toBe('as many, but not the same')
})

test('before a clone it says what is gone', () => {
  const run = { id: 3, dataset: 'pets', version: 2 }
  expect(lostWords({ ...run, lost: { train: 0, validation: 0 } })).toBeNull()
  expect(lostWords({ ...run, lost: { train: 2, validation: 0 } })).toContain('2 to train')
  expect(lostWords({ ...run, lost: null })).toContain('not known')
})
