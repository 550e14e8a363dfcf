import { expect, test } from 'vitest'

import type { SchemaClass } from '../../shared/classes/types'
import { type Draft, withChange, withClass, without } from './draft'
import { areOthers, stoppedWords } from './stopped'

const bolt: SchemaClass = { name: 'bolt', key: '1', colour: '#0072b2', dash: 0, guideline: '', examples: [], archived: false }
const base: Draft = { classes: [bolt, { ...bolt, name: 'nut', key: '2' }], guideline: '' }
const dataset = { name: 'fasteners', task: 'classification' as const, classes: ['bolt', 'nut'] }
const model = { name: 'cnn', task: 'classification', classes: ['bolt', 'nut'] }

test('classes become others when one comes or goes, not when one changes or is archived', () => {
  expect(areOthers(base, withClass(base, 'gear'))).toBe(true)
  expect(areOthers(base, without(base, 'nut'))).toBe(true)
  expect(areOthers(base, withChange(base, 'nut', { archived: true, key: '1' }))).toBe(false)
})

test('pipelines of the dataset and models of its classes are named, others are not', () => {
  const pipelines = [{ name: 'nightly', dataset: 'fasteners' }, { name: 'roads', dataset: 'roads' }]
  const models = [model, { ...model, name: 'digits', classes: ['0', '1'] }]
  expect(stoppedWords(dataset, { pipelines, models })).toBe(
    'A model keeps the classes it was created with. When you save this, 1 pipeline stops (nightly) and 1 model fits this dataset no more (cnn). ' +
      'To go on, create a new model with the new classes, and a pipeline with it.',
  )
})

test('where nothing depends on the classes there is nothing to say', () => {
  expect(stoppedWords(dataset, { pipelines: [], models: [] })).toBeNull()
})
