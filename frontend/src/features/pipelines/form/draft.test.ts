import { expect, test } from 'vitest'

import type { Pipeline } from '../../../shared/api/types'
import { copyOf, draftOf, emptyDraft, graceFault, newPipeline, settingsOf, stopFaults } from './draft'

const stored = {
  id: 1,
  name: 'mined',
  dataset: 'digits',
  model: 'cnn',
  architecture: 'small_cnn',
  config: { recipe: { steps: 30 } },
  strategy: { name: 'k_center', params: { block: 64, metric: 'cosine' } },
  count: 50,
  control: 0.07,
  seed: 0,
  gates: [],
  paused: false,
  state: 'idle',
  current_round: 2,
  created: '2026-11-21T12:00:00Z',
  schedule: '*/5 * * * *',
  trigger: { new_labels: 100, metric_drop: { points: 2.5 }, webhook: true },
  budget: { labels: 500, cost_per_label: 0.08 },
  stop: { target: { value: 0.99, confidence: 0.95 }, stable: { kappa: 0.99, rounds: 3 } },
  compose: { budget: 20 },
  committee: { versions: [1, 2] },
  warm_start: true,
  answers_per_task: 3,
  filter: { split: 'pool' },
  filter_text: 'split = pool',
  commit_grace: 120,
  needs: { train: { gpus: 2, gpu_memory_bytes: 16e9 }, score: null },
} as unknown as Pipeline

test('a pipeline that is edited and left as it was is the same', () => {
  expect(settingsOf(draftOf(stored))).toEqual({
    count: 50,
    control: 0.07,
    warm_start: true,
    answers_per_task: 3,
    schedule: '*/5 * * * *',
    trigger: stored.trigger,
    budget: stored.budget,
    stop: stored.stop,
    compose: { budget: 20 },
    committee: { versions: [1, 2] },
    filter: 'split = pool',
    commit_grace: 120,
    needs: stored.needs,
  })
  expect(draftOf(stored).grace).toEqual({ amount: '2', unit: 'minutes' })
  expect(draftOf(stored).strategy.typed).toEqual({ block: '64', metric: 'cosine' })
})

test('a new pipeline says only what was typed', () => {
  const made = newPipeline({ ...emptyDraft, name: ' loop ', dataset: 'digits' }, {}, {})
  expect(made).toEqual({
    name: 'loop',
    dataset: 'digits',
    config: {},
    strategy: { name: 'auto', params: {} },
    seed: 0,
    control: 0.1,
    warm_start: false,
    answers_per_task: 1,
    schedule: null,
    trigger: {},
    budget: {},
    stop: {},
    compose: null,
    committee: null,
    filter: null,
    commit_grace: 30,
    needs: { train: null, score: null },
  })
})

test('a model and an architecture that were chosen are said', () => {
  expect(newPipeline({ ...emptyDraft, model: 'cnn', architecture: 'vit_tiny' }, {}, {})).toMatchObject({ model: 'cnn', architecture: 'vit_tiny' })
})

test('a rule that was taken away is taken away', () => {
  const draft = draftOf(stored)
  const without = { ...draft, schedule: ' ', stop: { ...draft.stop, target: '', kappa: '' }, budget: { ...draft.budget, labels: '', costPerLabel: '' } }
  expect(settingsOf(without)).toMatchObject({ schedule: null, stop: {}, budget: {} })
})

test('a copy has the settings, but not what belongs to the other model', () => {
  const made = newPipeline({ ...copyOf(stored), name: 'again', model: 'other' }, { recipe: { steps: 30 } }, {})
  expect(made).toMatchObject({ name: 'again', model: 'other', dataset: 'digits', count: 50, config: { recipe: { steps: 30 } }, stop: stored.stop })
  expect(made.committee).not.toEqual(stored.committee)
})

test('the time before a commit is asked for in seconds or minutes, up to a day', () => {
  const grace = (amount: string, unit: 'seconds' | 'minutes') => ({ ...emptyDraft, grace: { amount, unit } })
  expect(settingsOf(grace('1.5', 'minutes')).commit_grace).toBe(90)
  expect([grace('0', 'seconds'), grace('1440', 'minutes')].map(graceFault)).toEqual([null, null])
  for (const [amount, unit] of [['', 'seconds'], ['1441', 'minutes'], ['soon', 'seconds'], ['-1', 'seconds']] as const) {
    expect(graceFault(grace(amount, unit))).toContain('A number from 0')
  }
  expect(draftOf({ ...stored, commit_grace: 45 }).grace).toEqual({ amount: '45', unit: 'seconds' })
  expect(draftOf({ ...stored, commit_grace: 0 }).grace).toEqual({ amount: '0', unit: 'seconds' })
})

test('a percentage that stops it is told in percent', () => {
  const faults = (target: string, confidence: string) => Object.values(stopFaults({ ...emptyDraft, stop: { ...emptyDraft.stop, target, confidence } }))
  expect(faults('99.5', '95')).toEqual([null, null])
  expect(faults('1000', '-1')).toEqual(['Type a percentage from 0 to 100.', 'Type a percentage from 0 to 100.'])
})
