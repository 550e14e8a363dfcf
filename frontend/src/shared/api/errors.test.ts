import { expect, test } from 'vitest'

import { ApiProblem, explain } from './errors'

function refused(detail: string, errors: Record<string, string[]>): ApiProblem {
  return new ApiProblem({ type: '', title: '', status: 400, detail, code: 'invalid', errors })
}

test('what the sentence says of a field already is not said again', () => {
  expect(explain(refused('name: is taken', { name: ['is taken'] }))).toBe('name: is taken')
})

test('what the sentence leaves out of a field is added to it', () => {
  const problem = refused('count: must be a number', { count: ['must be a number'], 'strategy.params': ['too few', 'too plain'] })
  expect(explain(problem)).toBe('count: must be a number strategy.params: too few too plain')
})
