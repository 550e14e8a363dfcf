import { expect, test } from 'vitest'

import { judgingOf } from '../../../tasktypes/judging'
import { nameOf, summaryOf, titleOf } from './words'

const classes = ['stop', 'yield']
const boxes = judgingOf('detection')
const counts = { right: 12, wrong: 3, missed: 8 }

test('a list is called what it is', () => {
  expect(titleOf({ kind: 'cell', label: 'stop', predicted: 'yield' }, classes, boxes)).toBe('stop taken for yield')
  expect(titleOf({ kind: 'cell', label: '-1', predicted: 'stop', threshold: 0.45 }, classes, boxes)).toBe('stop where there is nothing, at 0.45 and above')
  expect(titleOf({ kind: 'cell', label: 'yield', predicted: 'background' }, classes, boxes)).toBe('yield not found')
  expect(titleOf({ kind: 'cell', label: 'stop', predicted: 'stop' }, classes, boxes)).toBe('stop told right')
  expect(titleOf({ kind: 'missed', class: 'stop', slice: 'night' }, classes, boxes)).toBe('missed stop, in slice night')
  expect(titleOf({ kind: 'wrong' }, classes, boxes)).toBe('wrong boxes')
  expect(titleOf({ kind: 'missed', class: 'stop' }, classes, judgingOf('classification'))).toBe('stop taken for another class')
  expect(titleOf({ kind: 'wrong', class: 'stop' }, classes, judgingOf('multilabel'))).toBe('stop named wrongly')
})

test('a bin of confidence and a comparison are called what they are', () => {
  expect(titleOf({ kind: 'said', score_from: 0.6, score_to: 0.7 }, classes, boxes)).toBe('said to be something, 60 to 70 % sure')
  expect(titleOf({ kind: 'missed', right_in: '2' }, classes, judgingOf('classification'))).toContain(', told right by v2')
  expect(summaryOf({ kind: 'said' }, { total: 4, counts: { right: 3, wrong: 1, missed: 0 } }, judgingOf('classification'))).toBe('4 answers, 3 right: 75.0 %')
})

test('a class that is called like the background is itself', () => {
  expect(titleOf({ kind: 'cell', label: 'background', predicted: '-1' }, ['background'], boxes)).toBe('background not found')
})

test('a summary says how many of how many, and the rate that this makes', () => {
  expect(summaryOf({ kind: 'wrong' }, { total: 3, counts }, boxes)).toBe('3 of 15 boxes: precision 80.0 %')
  expect(summaryOf({ kind: 'missed' }, { total: 8, counts }, boxes)).toBe('8 of 20 objects: recall 60.0 %')
  expect(summaryOf({ kind: 'cell' }, { total: 1, counts: null }, judgingOf('classification'))).toBe('1 sample')
  expect(summaryOf({ kind: 'wrong' }, { total: 0, counts: { right: 0, wrong: 0, missed: 4 } }, boxes)).toBe('Nothing was said')
})

test('what is made of a list has a name that every thing may have', () => {
  expect(nameOf('signs', '1', 'Stop taken for 50 km/h, at 0.45 and above')).toBe('signs-v1-stop-taken-for-50-km-h-at-0.45-and-above')
  expect(nameOf('s', '1', `${'a'.repeat(95)} b`)).toBe(`s-v1-${'a'.repeat(95)}`)
})
