import { expect, test } from 'vitest'

import type { LabelValue } from '../../shared/api/types'
import { agreedOf, optionsOf, sameValue, valueWords } from './options'
import type { ReviewAnswer } from './types'

let id = 0
const answer = (username: string, value: LabelValue | null): ReviewAnswer => ({
  id: (id += 1), author: { id, username }, value, reason: '', seconds: 2, shown_suggestion: false, created: '2026-11-21T10:00:00Z',
})
const model = { class: 'gear', probability: 0.6, probabilities: {}, model: 'm@1' }

test('people who said the same are one option, and the model is one of its own when nobody agrees with it', () => {
  const answers = [answer('ana', { class: 'nut' }), answer('bo', { class: 'bolt' }), answer('cy', { class: 'nut' })]
  const options = optionsOf({ answers, consensus: { value: { class: 'nut' }, confidence: 0.9, tied: false }, suggestion: model })
  expect(options.map(({ value, answers: said }) => [valueWords(value), said.map(({ author }) => author.username)])).toEqual([
    ['nut', ['ana', 'cy']],
    ['bolt', ['bo']],
    ['gear', []],
  ])
  expect(options.map(({ consensus }) => consensus?.confidence)).toEqual([0.9, undefined, undefined])
  expect(options.map((option) => option.model?.probability)).toEqual([undefined, undefined, 0.6])
})

test('a tie is not a consensus', () => {
  const consensus = { value: { class: 'nut' }, confidence: 0.5, tied: true }
  const options = optionsOf({ answers: [answer('ana', { class: 'nut' }), answer('bo', { class: 'bolt' })], consensus, suggestion: null })
  expect(options.map((option) => option.consensus)).toEqual([null, null])
  expect(agreedOf({ consensus })).toBeNull()
})

test('a skip is an option too', () => {
  expect(optionsOf({ answers: [answer('ana', null)], consensus: null, suggestion: null }).map(({ value }) => value)).toEqual([null])
})

test('the order of classes and shapes says nothing', () => {
  const a: [number, number, number, number] = [0, 0, 4, 4]
  const b: [number, number, number, number] = [2, 2, 9, 9]
  expect(sameValue({ classes: ['b', 'a'] }, { classes: ['a', 'b'] })).toBe(true)
  expect(sameValue({ boxes: [{ class: 'x', box: a }, { class: 'y', box: b }] }, { boxes: [{ class: 'y', box: b }, { class: 'x', box: a }] })).toBe(true)
  expect(sameValue({ boxes: [] }, { boxes: [], polygons: [] })).toBe(true)
  expect(sameValue({ class: 'a' }, null)).toBe(false)
})
