import { expect, test } from 'vitest'

import { emptyDraft, newMiningJob, noModel } from './draft'

const chosen = { ...emptyDraft, dataset: 'digits', model: 'cnn', modelVersion: 'production' }

test('a plain job says what it must and nothing else', () => {
  expect(newMiningJob(chosen, {})).toEqual({
    dataset: 'digits',
    version: 'head',
    model: 'cnn@production',
    strategy: { name: 'auto', params: {} },
    count: 100,
    control: 0.1,
    seed: 0,
  })
})

test('a slice, constraints and a committee are said where there are any', () => {
  const compose = { ...chosen.compose, distance: { cosine: '0.1', labelled: true, batch: false } }
  const committee = { ...chosen.committee, kind: 'versions', versions: '1, 2' } as const
  const strategy = { name: 'margin', typed: {} }
  expect(newMiningJob({ ...chosen, slice: 'night', compose, committee, strategy }, { block: 8 })).toMatchObject({
    filter: { slice: 'night' },
    compose: { distance: { cosine: 0.1, to: ['labelled'] } },
    committee: { versions: [1, 2] },
    strategy: { name: 'margin', params: { block: 8 } },
  })
})

test('targets go only with the strategy that looks for them', () => {
  const draft = { ...chosen, like: { keys: 'a.png\n night/b, 2.png \n', failures: 'val' }, unlike: 'c.png' } as const
  expect(newMiningJob(draft, {})).not.toHaveProperty('like')
  expect(newMiningJob({ ...draft, strategy: { name: 'targeted', typed: {} } }, {})).toMatchObject({
    like: { keys: ['a.png', 'night/b, 2.png'], failures: 'val' },
    unlike: { keys: ['c.png'] },
  })
})

test('without a model the job names none', () => {
  expect(newMiningJob({ ...chosen, model: noModel, modelVersion: '' }, {}).model).toBeNull()
})
