import { expect, test } from 'vitest'

import { classAt, classKey } from './class-keys'

const digits = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
const animals = Array.from({ length: 22 }, (_, index) => `animal ${index}`)

test('classes take the keys in their order, and past the twentieth have none', () => {
  expect(classAt(animals, 0)).toBe('animal 0')
  expect(classAt(animals, 9)).toBe('animal 9')
  expect(classKey(animals, 'animal 9')).toBe('0')
  expect(classKey(animals, 'animal 10')).toBe('⇧1')
  expect(classKey(animals, 'animal 20')).toBeNull()
})

test('a digit is answered by its own key', () => {
  expect(digits.map((name) => classKey(digits, name))).toEqual(digits)
  expect(classAt(digits, 2)).toBe('3')
  expect(classAt(digits, 9)).toBe('0')
  expect(classAt(['3', '8'], 0)).toBeUndefined()
})
