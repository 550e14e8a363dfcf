import { expect, test } from 'vitest'

import type { SchemaClass } from '../../shared/classes/types'
import { type Draft, withChange, withClass, without } from './draft'
import { areOthers, stoppedWords } from './stopped'

const bolt: SchemaClass = { name: 'bolt', key: '1', colour: '#0072b2', dash: 0, guideline: '', examples: [], archived: false }
const base: Draft = { classes: [bolt, { ...bolt, name: 'nut', key: '2' }], guideline: '' }

test('classes become others when one comes or goes, not when one changes or is archived', () => {
  expect(areOthers(base, withClass(base, 'gear'))).toBe(true)
  expect(areOthers(base, without(base, 'nut'))).toBe(true)
  expect(areOthers(base, withChange(base, 'nut', { archived: true, key: '1' }))).toBe(false)
})

const rows = (...names: string[]) => ({ rows: names.map((name) => ({ name })), more: null })
const more = { busy: false, failed: false, read: () => undefined }

test('pipelines of the dataset and models of its classes are named', () => {
  expect(stoppedWords({ pipelines: rows('nightly'), models: rows('cnn') })).toBe(
    'A model keeps the classes it was created with. When you save this, 1 pipeline stops (nightly) and 1 model fits this dataset no more (cnn). ' +
      'To go on, create a new model with the new classes, and a pipeline with it.',
  )
})

test('of more than were read it is said that there are more', () => {
  expect(stoppedWords({ pipelines: rows(), models: { ...rows('cnn', 'vit'), more } })).toContain('more than 2 models fit this dataset no more (cnn, vit and others)')
})

test('where nothing depends on the classes there is nothing to say', () => {
  expect(stoppedWords({ pipelines: rows(), models: rows() })).toBeNull()
})
