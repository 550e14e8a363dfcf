import { expect, test } from 'vitest'

import { emptyDraft, forTask, labelsAtEnd, newBacktest, trainings } from './draft'

test('a probe says the model whose features it stands on', () => {
  expect(newBacktest({ ...emptyDraft, dataset: 'digits', model: 'cnn@production' }, {})).toEqual({
    dataset: 'digits',
    version: 'head',
    learner: { kind: 'probe', model: 'cnn@production' },
    strategies: ['auto'],
    seeds: 20,
    rounds: 10,
    count: 20,
    start: 20,
    control: 0.1,
    target: 0.9,
  })
})

test('a strategy with parameters says them, one without is its name', () => {
  const made = newBacktest({ ...emptyDraft, strategies: ['entropy', 'margin'] }, {}, { entropy: { reduce: 'sum' }, margin: {} })
  expect(made.strategies).toEqual([{ name: 'entropy', params: { reduce: 'sum' } }, 'margin'])
})

test('a training says its architecture and config, and a target that is left out is not said', () => {
  const made = newBacktest({ ...emptyDraft, kind: 'train', architecture: 'small_cnn', targetPercent: '', name: ' first ' }, { recipe: { steps: 5 } })
  expect(made).toMatchObject({ name: 'first', learner: { kind: 'train', architecture: 'small_cnn', config: { recipe: { steps: 5 } } } })
  expect(made).not.toHaveProperty('target')
})

test('the labels of the last round are known before', () => {
  expect(labelsAtEnd(emptyDraft)).toBe(220)
  expect(labelsAtEnd({ ...emptyDraft, rounds: '' })).toBeNull()
})

test('boxes are learnt by trainings: a few seeds, and their own architecture', () => {
  const draft = { ...emptyDraft, ...forTask('detection', emptyDraft) }
  expect(draft).toMatchObject({ kind: 'train', architecture: '', seeds: '5', targetPercent: '' })
  expect(trainings({ ...draft, strategies: ['entropy', 'random'] })).toBe(2 * 5 * 4)
  expect(trainings(emptyDraft)).toBeNull()
  expect(forTask('classification', { ...emptyDraft, kind: 'train' })).toEqual({ kind: 'train', architecture: '' })
  expect(forTask(undefined, emptyDraft)).toEqual({})
})
