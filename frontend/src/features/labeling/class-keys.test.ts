import { expect, test } from 'vitest'

import { ClassKeys } from './class-keys'

test('a class keeps the key of the schema whatever stands before it, and one without a key has none', () => {
  const named = (name: string, key: string | null) => ({ name, key, archived: false })
  const keys = new ClassKeys([named('new', 'shift+2'), named('old', '1'), named('rare', null), named('ten', '0')])
  expect(keys.at(0)).toBe('old')
  expect(keys.at(11)).toBe('new')
  expect(keys.at(9)).toBe('ten')
  expect(keys.at(1)).toBeUndefined()
  expect(keys.label('new')).toBe('⇧2')
  expect(keys.label('rare')).toBeNull()
})
