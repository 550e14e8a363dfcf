import { expect, test } from 'vitest'

import { paramsOf, readParams } from './params'

const schema = {
  properties: {
    block: { type: 'integer', minimum: 1, maximum: 4096, default: 256, description: 'Candidates at a time.' },
    beta: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null },
    weights: { $ref: '#/$defs/Weights', default: 'uniform' },
    strategies: { type: 'array', items: { type: 'string' } },
    exact: { type: 'boolean', default: true },
  },
  $defs: { Weights: { enum: ['uniform', 'margin'], type: 'string' } },
}

test('a schema gives one field for each parameter, with its limits, choices and default', () => {
  const [block, beta, weights, strategies] = paramsOf(schema)
  expect(block).toMatchObject({ title: 'Block', kind: 'integer', minimum: 1, maximum: 4096, fallback: '256' })
  expect(beta).toMatchObject({ kind: 'number', fallback: '' })
  expect(weights).toMatchObject({ kind: 'choice', choices: ['uniform', 'margin'], fallback: 'uniform' })
  expect(strategies).toMatchObject({ kind: 'json' })
})

test('what is typed becomes values, and what is empty is left to the strategy', () => {
  const typed = { block: ' 64 ', beta: '', weights: 'margin', strategies: '["margin"]', exact: 'false' }
  expect(readParams(paramsOf(schema), typed)).toEqual({
    params: { block: 64, weights: 'margin', strategies: ['margin'], exact: false },
    faults: {},
  })
})

test('what is no value is named and not sent', () => {
  const { params, faults } = readParams(paramsOf(schema), { block: '1.5', beta: 'much', strategies: 'margin' })
  expect(params).toEqual({})
  expect(Object.keys(faults)).toEqual(['block', 'beta', 'strategies'])
})

test('a strategy without parameters has no field', () => {
  expect(paramsOf({ properties: {} })).toEqual([])
})
