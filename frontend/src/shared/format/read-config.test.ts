import { expect, test } from 'vitest'

import { readConfig } from './read-config'

test('nothing typed changes nothing', () => {
  expect(readConfig('  ')).toEqual({ config: null, fault: null })
})

test('an object is taken, anything else is refused with what to do', () => {
  expect(readConfig('{"recipe": {"steps": 5}}')).toEqual({ config: { recipe: { steps: 5 } }, fault: null })
  expect(readConfig('{recipe: 5}').fault).toContain('double quotes')
  expect(readConfig('[1]').fault).toContain('start with {')
})
