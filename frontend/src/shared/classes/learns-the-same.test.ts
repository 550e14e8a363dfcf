import { expect, test } from 'vitest'

import { learnsTheSame, refusalFor } from './learns-the-same'

const asked = { project: 'roads', task: 'classification', classes: ['cat', 'dog'] }

test.each([
  [{}, true],
  [{ classes: ['dog', 'cat'] }, false],
  [{ classes: ['cat'] }, false],
  [{ task: 'detection' }, false],
  [{ project: 'farms' }, false],
])('a model learns from labels of its project that are asked the same: %o', (other, expected) => {
  expect(learnsTheSame(asked, { ...asked, ...other })).toBe(expected)
})

test.each([
  [{}, null],
  [{ head: null }, 'has no samples yet'],
  [{ classes: ['cat'] }, 'has other classes than the model'],
  [{ task: 'detection' }, 'has another task than the model'],
  [{ project: 'farms' }, 'is in the project farms, the model in roads'],
])('what keeps a model from training on a dataset: %o', (other, words) => {
  expect(refusalFor(asked, { ...asked, head: 1, ...other })).toBe(words)
})
