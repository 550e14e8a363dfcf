import { expect, test } from 'vitest'

import { commitSentence } from './commit-words'

const runs = { grace: 30, seconds_left: 12.3, held: null, held_by: null }

test('the countdown says how many seconds are left', () => {
  expect(commitSentence(runs, 12)).toBe('The pipeline commits the labels in 12 s.')
  expect(commitSentence(runs, 0)).toBe('The pipeline is committing the labels…')
})

test('a hold says whose it is, and nothing of a time', () => {
  const held = { ...runs, seconds_left: null, held: '2026-11-22T20:00:00Z', held_by: 'bob' }
  expect(commitSentence(held, null)).toBe('bob holds the commit: nothing is written until it is released.')
})

test('while something is open the grace is told', () => {
  expect(commitSentence({ ...runs, seconds_left: null }, null)).toBe('The pipeline commits 30 s after the last answer.')
  expect(commitSentence({ ...runs, grace: 0, seconds_left: null }, null)).toBe('The pipeline commits with the last answer.')
})
