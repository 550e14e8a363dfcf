import { expect, test } from 'vitest'

import { classKeys, classOfStroke, keyName } from './class-key'

const stroke = (code: string, shiftKey = false) => ({
  key: '', code, shiftKey, ctrlKey: false, metaKey: false, altKey: false, isComposing: false,
})
const classes = [
  { name: 'bolt', key: '1', archived: false },
  { name: 'nut', key: '2', archived: true },
  { name: 'gear', key: 'shift+3', archived: false },
  { name: 'late', key: '', archived: false },
]

test('keys are given out from 1 to 0 and then with Shift', () => {
  expect([classKeys[0], classKeys[9], classKeys[10], classKeys[19]]).toEqual(['1', '0', 'shift+1', 'shift+0'])
  expect([keyName('0'), keyName('shift+1'), keyName('')]).toEqual(['0', '⇧1', null])
})

test('a key finds the class that owns it, whatever the order of the classes', () => {
  expect(classOfStroke(stroke('Digit1'), classes)?.name).toBe('bolt')
  expect(classOfStroke(stroke('Digit3', true), classes)?.name).toBe('gear')
})

test('archived classes and classes without a key answer nothing', () => {
  expect(classOfStroke(stroke('Digit2'), classes)).toBeUndefined()
  expect(classOfStroke(stroke('KeyA'), classes)).toBeUndefined()
})
