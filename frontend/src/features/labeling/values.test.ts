import { expect, test } from 'vitest'

import type { ClassSuggestion } from '../../shared/api/types'
import { namedClasses, sameValue, suggestedValue, valueWords } from './values'

const guess: ClassSuggestion = { class: 'cat', probability: 0.7, probabilities: { cat: 0.7, dog: 0.5, owl: 0.1 }, model: 'm@1' }

test('agreeing with the model says its class, or all that it names where several may apply', () => {
  expect(suggestedValue({ suggestion: guess }, false)).toEqual({ class: 'cat' })
  const several = { classes: ['cat', 'dog'], probability: 0.4, probabilities: { cat: 0.7, dog: 0.4, owl: 0.3 }, model: 'm@1' }
  expect(suggestedValue({ suggestion: several }, true)).toEqual({ classes: ['cat', 'dog'] })
  expect(suggestedValue({ suggestion: { ...several, classes: [] } }, true)).toEqual({ classes: [] })
  expect(suggestedValue({ suggestion: null }, false)).toBeNull()
})

test('scores of suggested shapes are not part of the label', () => {
  const suggestion = { boxes: [{ class: 'cat', box: [0, 0, 5, 5] as [number, number, number, number], score: 0.9 }], model: 'm@1' }
  expect(suggestedValue({ suggestion }, false)).toEqual({ boxes: [{ class: 'cat', box: [0, 0, 5, 5] }] })
})

test('labels are the same whatever the order of their classes and shapes', () => {
  expect(sameValue({ classes: ['a', 'b'] }, { classes: ['b', 'a'] })).toBe(true)
  expect(sameValue({ classes: ['a'] }, { classes: ['a', 'b'] })).toBe(false)
  const one = { class: 'a', box: [0, 0, 1, 1] as [number, number, number, number] }
  const two = { class: 'b', box: [0, 0, 2, 2] as [number, number, number, number] }
  expect(sameValue({ boxes: [one, two] }, { boxes: [two, one] })).toBe(true)
  expect(sameValue({ boxes: [one] }, { boxes: [one], polygons: [] })).toBe(true)
  expect(sameValue({ boxes: [] }, null)).toBe(false)
})

test('a label in words', () => {
  expect(valueWords(null)).toBe('skipped')
  expect(valueWords({ classes: [] })).toBe('none of them')
  expect(valueWords({ boxes: [], polygons: [{ class: 'a', points: [[0, 0], [1, 0], [1, 1]] }] })).toBe('1 polygon')
  expect(namedClasses({ boxes: [], polygons: [{ class: 'a', points: [[0, 0], [1, 0], [1, 1]] }] })).toEqual(['a'])
})
