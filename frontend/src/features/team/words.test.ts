import { expect, test } from 'vitest'

import { biasWords, heat, kappaWord, paceSource, paceWords, pairFigure, pairOf } from './words'

test.each([
  [-0.1, 'worse than chance'], [0, 'slight'], [0.21, 'fair'], [0.5, 'moderate'], [0.61, 'substantial'], [0.95, 'almost perfect'],
])('a kappa of %s is %s', (kappa, word) => {
  expect(kappaWord(kappa)).toBe(word)
})

const pair = { a: 1, b: 2, both: 20, agree: 18, kappa: null, mean_iou: null }

test('two people are a pair in either order, and say nothing of each other before they met', () => {
  expect(pairOf([pair], 2, 1)).toBe(pair)
  expect(pairOf([pair], 1, 3)).toBeUndefined()
  expect(pairFigure({ ...pair, kappa: 0.7 })).toEqual({ value: 0.7, word: 'substantial' })
  expect(pairFigure({ ...pair, mean_iou: 0.8 })).toEqual({ value: 0.8, word: 'overlap' })
  expect(pairFigure({ ...pair, both: 0, kappa: null })).toBeNull()
  expect(pairFigure(pair)).toBeNull()
})

test('heat stays within what a cell can show', () => {
  expect([heat(-1), heat(0.5), heat(2)]).toEqual([0, 30, 60])
})

test('a bias is named only where the interval leaves chance out', () => {
  const blind = (difference: number, interval: [number, number]) =>
    biasWords({ shown: { answers: 90, agree_with_model: 81 }, hidden: { answers: 10, agree_with_model: 7 }, difference, interval })
  expect(blind(0.2, [0.05, 0.35])).toContain('more often when they see its suggestion: by 20 % points (95 %: 5 % to 35 %)')
  expect(blind(0.02, [-0.1, 0.14])).toContain('may be chance, over 10 blind answers')
  expect(blind(-0.2, [-0.3, -0.1])).toContain('less often')
  expect(biasWords({ shown: { answers: 5, agree_with_model: 5 }, hidden: { answers: 0, agree_with_model: 0 }, difference: null, interval: [-1, 1] })).toContain('No blind task')
  const none = { answers: 0, agree_with_model: 0 }
  expect(biasWords({ shown: none, hidden: none, difference: null, interval: [-1, 1] })).toBe('No task that was answered had a suggestion of a model, so there is nothing to compare.')
})

test('a pace says how long the open tasks take, and what it was taken from', () => {
  const pace = { answers: 120, days: 2, per_hour: 2.5, answers_left: 200, hours_left: 80, in_time: null }
  expect(paceWords(pace)).toBe('3 days at 2.5/h')
  expect(paceWords({ ...pace, hours_left: 1.5, per_hour: 133.4 })).toBe('1 h 30 min at 133/h')
  expect(paceWords({ ...pace, hours_left: null, per_hour: null })).toBe('no pace yet')
  expect(paceWords({ ...pace, answers_left: 0, hours_left: 0 })).toBe('answered')
  expect(paceSource(pace)).toBe('120 answers on 2 days')
  expect(paceSource({ ...pace, answers: 0, days: 0 })).toBe('No answers in the last 30 days')
})
