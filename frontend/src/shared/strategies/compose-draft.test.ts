import { expect, test } from 'vitest'

import type { Compose } from '../api/mining-types'
import { composed, composeDraft, noConstraints, weightsOf } from './compose-draft'

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

test('weights are read pair by pair', () => {
  expect(weightsOf('bolt=2, nut = 0.5, gear, washer=heavy')).toEqual({ bolt: 2, nut: 0.5 })
})
