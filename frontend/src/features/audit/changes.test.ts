import { expect, test } from 'vitest'

import { changesOf, cut, isLong } from './changes'

test('each field that either side has is told once, with nothing where there was nothing, and as new where none was told before', () => {
  expect(changesOf({ before: { role: 'viewer', note: '' }, after: { role: 'owner', note: 'x' } })).toEqual([
    { field: 'role', before: 'viewer', after: 'owner', isNew: false },
    { field: 'note', before: null, after: 'x', isNew: false },
  ])
  expect(changesOf({ before: null, after: { golden: 3, owns: false, gates: [{ at_least: 0.9 }] } })).toEqual([
    { field: 'golden', before: null, after: '3', isNew: true },
    { field: 'owns', before: null, after: 'no', isNew: true },
    { field: 'gates', before: null, after: '[{"at_least":0.9}]', isNew: true },
  ])
  expect(changesOf({ before: { role: 'viewer' }, after: null })).toEqual([{ field: 'role', before: 'viewer', after: null, isNew: false }])
  expect(changesOf({ before: null, after: null })).toEqual([])
})

test('only long values are cut', () => {
  expect([isLong(null), isLong('a'.repeat(60)), isLong('a'.repeat(61))]).toEqual([false, false, true])
  expect(cut('a'.repeat(60))).toBe('a'.repeat(60))
  expect(cut('a'.repeat(61))).toBe(`${'a'.repeat(59)}…`)
})
