import { expect, test } from 'vitest'

import { ClassKeys } from './class-keys'

const digits = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((name) => ({ name }))
const animals = Array.from({ length: 22 }, (_, index) => ({ name: `animal ${index}` }))

test('classes without a schema take the keys in their order, and past the twentieth have none', () => {
  const keys = new ClassKeys(animals)
  expect(keys.at(0)).toBe('animal 0')
  expect(keys.at(9)).toBe('animal 9')
  expect(keys.label('animal 9')).toBe('0')
  expect(keys.label('animal 10')).toBe('⇧1')
  expect(keys.label('animal 20')).toBeNull()
})

test('a digit is answered by its own key', () => {
  const keys = new ClassKeys(digits)
  expect(digits.map(({ name }) => keys.label(name))).toEqual(digits.map(({ name }) => name))
  expect(keys.at(2)).toBe('3')
  expect(keys.at(9)).toBe('0')
  expect(new ClassKeys([{ name: '3' }, { name: '8' }]).at(0)).toBeUndefined()
})

test('the schema decides: a class keeps its key whatever stands before it, and one without a key has none', () => {
  const keys = new ClassKeys([{ name: 'new', key: 'shift+2' }, { name: 'old', key: '1' }, { name: 'rare', key: null }, { name: 'ten', key: '0' }])
  expect(keys.at(0)).toBe('old')
  expect(keys.at(11)).toBe('new')
  expect(keys.at(9)).toBe('ten')
  expect(keys.label('new')).toBe('⇧2')
})
