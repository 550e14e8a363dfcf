import { expect, test } from 'vitest'

import { changesOf, emptyDraft, faultsOf, newQueueOf, type QueueDraft } from './draft'

const draft = { ...emptyDraft, name: ' night shift ', dataset: 'road' }

test('shares are typed in per cent and sent as fractions', () => {
  expect(changesOf({ ...draft, blind: '7.5', threshold: '90 %', review: '10' })).toMatchObject({
    blind_share: 0.075,
    accept_threshold: 0.9,
    review_share: 0.1,
  })
  expect(changesOf(draft).accept_threshold).toBeNull()
})

test('a queue asks for the unlabelled samples of a split, or for all of them', () => {
  expect(newQueueOf({ ...draft, split: 'pool' })).toMatchObject({ name: 'night shift', filter: { labelled: false, split: 'pool' } })
  expect(newQueueOf({ ...draft, unlabelled: false })).not.toHaveProperty('filter')
})

test('reasons to skip are lines; none keeps the usual ones', () => {
  expect(changesOf({ ...draft, reasons: 'too dark\n\n twice \n' }).skip_reasons).toEqual(['too dark', 'twice'])
  expect(changesOf(draft)).not.toHaveProperty('skip_reasons')
})

test('a queue is for the people who are named, until a moment, and of a limited size', () => {
  expect(changesOf(draft)).toMatchObject({ priority: 'normal', due: null, assignees: [] })
  expect(changesOf({ ...draft, assignees: ' ana, bo ,' })).toMatchObject({ assignees: ['ana', 'bo'] })
  expect(newQueueOf({ ...draft, limit: '200' })).toMatchObject({ limit: 200 })
  expect(newQueueOf(draft)).not.toHaveProperty('limit')
  expect([faultsOf({ ...draft, limit: '1e3' }).limit, faultsOf({ ...draft, limit: '0' }).limit]).not.toContain(null)
})

test('each fault names its field', () => {
  const faulty = (typed: QueueDraft) => Object.entries(faultsOf(typed)).flatMap(([field, fault]) => (fault === null ? [] : [field]))
  expect(faulty(draft)).toEqual([])
  expect(faulty({ ...draft, blind: '60', gold: '', threshold: 'high', answers: '0' })).toEqual(['blind_share', 'gold_share', 'accept_threshold', 'answers_per_task'])
})
