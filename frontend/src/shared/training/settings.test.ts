import { expect, test } from 'vitest'

import { helpOf } from '../strategies/params'
import { changesOf, grouped, readAs, said, saying, type Setting, settingsOf, textOf, withoutParamsIn } from './settings'

const schemas = {
  params_schema: {
    properties: {
      channels: { type: 'integer', enum: [1, 3], default: 1, advanced: true, group: 'Network' },
      size: { type: 'integer', minimum: 8, maximum: 128, default: 28, unit: 'pixels', advanced: false, group: 'Network', description: 'Height and width of the input.' },
      own: { type: 'number', default: 2 },
    },
  },
  recipe_schema: {
    properties: {
      seed: { type: 'integer', default: 0 },
      epochs: { type: 'number', exclusiveMinimum: 0, maximum: 1000, default: 8, advanced: false, group: 'Length' },
      steps: { anyOf: [{ type: 'integer', minimum: 1, maximum: 1_000_000 }, { type: 'null' }], default: null, advanced: true, group: 'Length', description: 'Optimiser steps; None: `epochs` over the set.' },
      flip: { type: 'boolean', default: false, advanced: true, group: 'Augmentation' },
    },
  },
}
const settings = settingsOf(schemas)
const named = (name: string) => settings.find((setting) => setting.name === name) as Setting

test('what an architecture declares becomes fields, in groups; the few that are usual are not advanced', () => {
  expect(settings.map(({ part, name }) => `${part}.${name}`)).toEqual(['params.channels', 'params.size', 'params.own', 'recipe.epochs', 'recipe.steps', 'recipe.flip'])
  expect(settings.filter(({ advanced }) => !advanced).map(({ name }) => name)).toEqual(['size', 'epochs'])
  expect(grouped(settings).map(([group, members]) => [group, members.length])).toEqual([['Network', 3], ['Length', 2], ['Augmentation', 1]])
})

test('the help says the bounds, and what an empty field means', () => {
  expect(helpOf(named('size'))).toBe('Height and width of the input. 8 to 128 pixels.')
  expect(helpOf(named('steps'))).toBe('Optimiser steps; Empty: epochs over the set. 1 to 1,000,000.')
})

test('what is typed is written to the config, and what is emptied is taken out', () => {
  const config = saying(saying({ export: { precisions: [] } }, named('size'), readAs(named('size'), '64')), named('channels'), readAs(named('channels'), '3'))
  expect(config).toEqual({ export: { precisions: [] }, params: { size: 64, channels: 3 } })
  expect(said(config, named('size'))).toBe(64)
  expect(saying(saying(config, named('size'), readAs(named('size'), ' ')), named('channels'), undefined)).toEqual({ export: { precisions: [] } })
  expect(readAs(named('flip'), 'true')).toBe(true)
  expect(readAs(named('size'), 'large')).toBe('large')
  expect([textOf({}), textOf({ recipe: { flip: true } })]).toEqual(['', '{\n  "recipe": {\n    "flip": true\n  }\n}'])
})

test('of a clone only what differs is sent, null where it was taken out', () => {
  const before = { params: { width: 8, size: 28 }, recipe: { steps: 30 } }
  expect(changesOf(before, { params: { size: 32 }, recipe: { steps: 30 }, export: { precisions: ['int8'] } })).toEqual({ params: { width: null, size: 32 }, export: { precisions: ['int8'] } })
  expect(changesOf(before, before)).toEqual({})
})

test('another architecture drops the parameters of the one before, and keeps the rest', () => {
  expect(JSON.parse(withoutParamsIn('{"params": {"width": 8}, "recipe": {"steps": 3}}'))).toEqual({ recipe: { steps: 3 } })
  expect(withoutParamsIn('{"params"')).toBe('{"params"')
})
