import { expect, test } from 'vitest'

import { faultsOf, readValues, spaceOf, valuesWords } from './searched'

test.each([
  ['1e-4..1e-1 log', { low: 0.0001, high: 0.1, log: true }],
  ['1e-4..1e-1:log', { low: 0.0001, high: 0.1, log: true }],
  ['16..64 step 16', { low: 16, high: 64, step: 16 }],
  ['16..64:16', { low: 16, high: 64, step: 16 }],
  ['0..0.9', { low: 0, high: 0.9 }],
  ['adamw, sgd', { choices: ['adamw', 'sgd'] }],
  ['true,false,null,3', { choices: [true, false, null, 3] }],
])('%s is read', (typed, found) => {
  expect(readValues(typed)).toEqual(found)
  expect(readValues(valuesWords(found))).toEqual(found)
})

test.each(['', '1..', '..2', 'a..b', '1..2 by 3', '1..2 step x'])('%s is not a range', (typed) => expect(readValues(typed)).toBeNull())

test('rows say what is wrong where it is', () => {
  const rows = [
    { key: 1, setting: 'seed', values: '1, 2' },
    { key: 2, setting: 'seed ', values: '1..' },
    { key: 3, setting: '', values: '1' },
  ]
  const faults = Object.entries(faultsOf(rows)).filter(([, fault]) => fault !== null)
  expect(faults.map(([name]) => name)).toEqual(['space.seed', 'setting.2', 'setting.3'])
  expect(spaceOf(rows.slice(0, 1))).toEqual({ seed: { choices: [1, 2] } })
})
