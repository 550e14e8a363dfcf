import { expect, test } from 'vitest'

import { classAt, classKeys, keyName } from './class-key'

const classes = [
  { name: 'bolt', key: '1', archived: false },
  { name: 'nut', key: '2', archived: true },
  { name: 'gear', key: 'shift+3', archived: false },
  { name: 'late', key: null, archived: false },
]

test('keys are given out from 1 to 0 and then with Shift', () => {
  expect([classKeys[0], classKeys[9], classKeys[10], classKeys[19]]).toEqual(['1', '0', 'shift+1', 'shift+0'])
  expect([keyName('0'), keyName('shift+1'), keyName(null)]).toEqual(['0', '⇧1', null])
})

test('a place finds the class that owns its key, whatever the order of the classes', () => {
  expect(classAt(classes, 0)?.name).toBe('bolt')
  expect(classAt(classes, 12)?.name).toBe('gear')
})

test('archived classes, and keys that nobody has, answer nothing', () => {
  expect(classAt(classes, 1)).toBeUndefined()
  expect(classAt(classes, 19)).toBeUndefined()
  expect(classAt(classes, 20)).toBeUndefined()
})
