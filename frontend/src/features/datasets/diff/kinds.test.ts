import { expect, test } from 'vitest'

import { changedCounts, openingKind, shownKinds } from './kinds'

const none = { added: 0, removed: 0, changed: 0, relabelled: 0, boxes_moved: 0, attributes_changed: 0, split_moved: 0, meta_changed: 0 }

test('the page opens at what was asked for, else at the first kind that has something to show', () => {
  expect(openingKind({ ...none, relabelled: 3 }, undefined)).toBe('relabelled')
  expect(openingKind({ ...none, relabelled: 3 }, 'added')).toBe('added')
  expect(openingKind(none, undefined)).toBe('added')
})

test('a classification dataset has no tabs for objects', () => {
  for (const kind of ['boxes_moved', 'attributes_changed'] as const) {
    expect(shownKinds(none, 'classification')).not.toContain(kind)
    expect(shownKinds(none, 'detection')).toContain(kind)
    expect(shownKinds({ ...none, [kind]: 1 }, 'classification')).toContain(kind)
  }
})

test('counts that did not change are left out, the rest stands in the order of the classes', () => {
  expect(changedCounts({ truck: -1, car: 2, sign: 0, older: 4 }, ['car', 'truck', 'sign'])).toEqual([
    ['car', 2],
    ['truck', -1],
    ['older', 4],
  ])
})
