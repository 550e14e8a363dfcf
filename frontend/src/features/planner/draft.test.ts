import { expect, test } from 'vitest'

import type { PlanExample } from '../../shared/api/types'
import { plannerSearch } from '../../shared/routes/planner-search'
import { draftOf, emptyDraft, emptySetup, questionOf, readDraft, searchOf, typedFaults } from './draft'

const cars: PlanExample = {
  name: 'cars',
  title: '100 cars',
  source: 'a talk',
  question: { fleet: { vehicles: 100, days: 260 }, training: [{ architecture: 'AlexNet', machine: 'GPU', machines: 10, terabytes_per_day: 0.247 }] },
  notes: [],
}
const examples = [cars]

test('an example is sent by its name, with what is given beside', () => {
  const draft = draftOf(cars)
  expect(draft.setups).toEqual([{ architecture: 'AlexNet', machine: 'GPU', pace: '0.247', unit: 'terabytes_per_day', epochs: '', machines: '10' }])
  expect(questionOf(draft, examples)).toEqual({ example: 'cars' })
  const aimed = { ...draft, fields: { ...draft.fields, target_days: '7', 'prices.label': '0.05' } }
  expect(questionOf(aimed, examples)).toEqual({ example: 'cars', target_days: 7, prices: { label: 0.05 } })
})

test.each([
  { 'fleet.days': '100' },
  { 'fleet.days': '' },
  { 'data.image_bytes': '2000' },
])('with other data than its own it is no longer that example: %o', (changed) => {
  const draft = { ...draftOf(cars), fields: { ...draftOf(cars).fields, ...changed } }
  const question = questionOf(draft, examples)
  expect(question.example).toBeUndefined()
  expect(question.fleet?.vehicles).toBe(100)
  expect(question.training).toEqual([{ architecture: 'AlexNet', machine: 'GPU', terabytes_per_day: 0.247, epochs: null, machines: 10 }])
})

test('an address brings the draft back, whatever was typed', () => {
  const drafts = [
    { ...draftOf(cars), fields: { ...draftOf(cars).fields, target_days: '7' } },
    { ...emptyDraft, fields: { 'fleet.days': '5', currency: 'a:b' }, setups: [{ ...emptySetup, architecture: 'x"],', pace: '480' }] },
  ]
  for (const draft of drafts) {
    const address = searchOf(draft, examples)
    expect(readDraft(plannerSearch(structuredClone(address) as Record<string, unknown>), examples)).toEqual(draft)
  }
})

test('what makes no sense in an address is left out', () => {
  expect(plannerSearch({ with: 5, training: [3, ''], example: '' })).toEqual({})
  expect(readDraft({ example: 'nonesuch', with: [':5'], training: ['{', '5'] }, examples)).toEqual(emptyDraft)
})

test('what is no number is told of at its field', () => {
  const draft = { ...emptyDraft, fields: { 'fleet.days': '5,5', currency: 'EUR' }, setups: [{ ...emptySetup, pace: 'fast' }] }
  const told = Object.entries(typedFaults(draft)).filter(([, fault]) => fault !== null)
  expect(told.map(([name]) => name)).toEqual(['fleet.days', 'training.0.images_per_second'])
})
