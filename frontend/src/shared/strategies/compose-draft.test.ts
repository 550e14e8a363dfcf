import { expect, test } from 'vitest'

import type { Compose } from '../api/mining-types'
import { composed, composeDraft, noConstraints, quotaFault, weightsFault } from './compose-draft'

const full: Compose = {
  quotas: [
    { class: 'nut', min: 5, max: 40 },
    { slice: 'night', min_share: 0.3 },
  ],
  source: 'camera',
  gap: { seconds: 2.5, group: 'drive', time: 'at' },
  distance: { cosine: 0.05, to: ['batch'] },
  cost: { meta: 'price', default: 1.5 },
  budget: 200,
  objectives: [
    { name: 'class_weight', weights: { nut: 2, bolt: 0.5 }, strength: 1 },
    { name: 'novelty', strength: 0.5 },
  ],
}

test('a draft that says nothing constrains nothing', () => {
  expect(composed(noConstraints)).toBeNull()
  expect(composed(composeDraft(null))).toBeNull()
})

test('stored constraints become the same constraints again', () => {
  expect(composed(composeDraft(full))).toEqual(full)
})

test('a quota without a name, and a bound that is no number, are left out', () => {
  const quota = { kind: 'class', unit: 'percent', least: '20', most: 'all' } as const
  expect(composed({ ...noConstraints, quotas: [{ ...quota, name: ' ' }, { ...quota, name: 'nut' }] })).toEqual({
    quotas: [{ class: 'nut', min_share: 0.2 }],
  })
})

test('weights and quotas that can’t be read are refused, not left out', () => {
  expect(weightsFault('bolt=2, nut = 0.5')).toBeNull()
  expect(weightsFault('')).toBeNull()
  expect(weightsFault('bolt=2, gear')).toMatch('Type names with numbers')
  expect(weightsFault('washer=heavy')).toMatch('Type names with numbers')
  const quota = { kind: 'class', name: '', unit: 'samples', least: '', most: '' } as const
  expect(quotaFault(quota)).toBeNull()
  expect(quotaFault({ ...quota, least: '5' })).toMatch('Type the name')
  expect(quotaFault({ ...quota, name: 'nut', least: '5' })).toBeNull()
})
