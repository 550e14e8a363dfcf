import { expect, test } from 'vitest'

import { paramsOf, readParams, typedAs } from './params'

const schema = {
  properties: {
    block: { type: 'integer', minimum: 1, maximum: 4096, default: 256, description: 'Candidates at a time.' },
    beta: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null },
    weights: { $ref: '#/$defs/Weights', default: 'uniform' },
    strategies: { type: 'array', items: { type: 'string' } },
    exact: { type: 'boolean', default: true },
    costs: { type: 'object', additionalProperties: { type: 'number' }, default: {} },
    bounds: { type: 'array', items: { type: 'number' } },
  },
  $defs: { Weights: { enum: ['uniform', 'margin'], type: 'string' } },
}

test('a schema gives one field for each parameter, with its limits, choices and default', () => {
  const [block, beta, weights, strategies, , costs, bounds] = paramsOf(schema)
  expect(block).toMatchObject({ title: 'Block', kind: 'integer', minimum: 1, maximum: 4096, fallback: '256' })
  expect(beta).toMatchObject({ kind: 'number', fallback: '' })
  expect(weights).toMatchObject({ kind: 'choice', choices: ['uniform', 'margin'], fallback: 'uniform' })
  expect(strategies).toMatchObject({ kind: 'names' })
  expect(costs).toMatchObject({ kind: 'numbers', fallback: '' })
  expect(bounds).toMatchObject({ kind: 'json' })
})

test('what is typed becomes values, and what is empty is left to the strategy', () => {
  const typed = { block: ' 64 ', beta: '', weights: 'margin', strategies: 'margin, badge', exact: 'false', costs: 'rare=3, a=b=0.5', bounds: '[1, 2]' }
  expect(readParams(paramsOf(schema), typed)).toEqual({
    params: { block: 64, weights: 'margin', strategies: ['margin', 'badge'], exact: false, costs: { rare: 3, 'a=b': 0.5 }, bounds: [1, 2] },
    faults: {},
  })
})

test('what is no value is named and not sent', () => {
  const { params, faults } = readParams(paramsOf(schema), { block: '1.5', beta: 'much', strategies: '[1]', costs: 'rare', bounds: 'one' })
  expect(params).toEqual({})
  expect(Object.keys(faults)).toEqual(['block', 'beta', 'strategies', 'costs', 'bounds'])
})

test('a strategy without parameters has no field', () => {
  expect(paramsOf({ properties: {} })).toEqual([])
})

test.each([
  [['margin', 'badge'], 'margin, badge'],
  [{ rare: 3, night: 0.5 }, 'rare=3, night=0.5'],
  [['a, b'], '["a, b"]'],
  [{ 'a, b': 2 }, '{"a, b":2}'],
  [[1, 2], '[1,2]'],
  [{}, ''],
  [null, ''],
  [0, '0'],
  [false, 'false'],
])('%j is typed as it can be read back: %s', (value, text) => {
  expect(typedAs(value)).toBe(text)
  const schema = Array.isArray(value) && typeof value[0] === 'number' ? { type: 'array' } : Array.isArray(value) ? { type: 'array', items: { type: 'string' } } : { type: 'object', additionalProperties: { type: 'number' } }
  if (text !== '' && typeof value === 'object') expect(readParams(paramsOf({ properties: { it: schema } }), { it: text }).params.it).toEqual(value)
})
