import { expect, test } from 'vitest'

import { emptyDraft, labelsAtEnd, newBacktest } from './draft'

test('a probe says the model whose features it stands on', () => {
  expect(newBacktest({ ...emptyDraft, dataset: 'digits', model: 'cnn@production' }, {})).toEqual({
    dataset: 'digits',
    version: 'head',
    learner: { kind: 'probe', model: 'cnn@production' },
    strategies: ['margin'],
    seeds: 20,
    rounds: 10,
    count: 20,
    start: 20,
    control: 0.1,
    target: 0.9,
  })
})

test('a training says its architecture and config, and a target that is left out is not said', () => {
  const made = newBacktest({ ...emptyDraft, kind: 'train', targetPercent: '', name: ' first ' }, { recipe: { steps: 5 } })
  expect(made).toMatchObject({ name: 'first', learner: { kind: 'train', architecture: 'small_cnn', config: { recipe: { steps: 5 } } } })
  expect(made).not.toHaveProperty('target')
})

test('the labels of the last round are known before', () => {
  expect(labelsAtEnd(emptyDraft)).toBe(220)
  expect(labelsAtEnd({ ...emptyDraft, rounds: '' })).toBeNull()
})
