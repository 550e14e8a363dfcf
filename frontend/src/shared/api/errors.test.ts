import { expect, test } from 'vitest'

import { ApiProblem, explain, faultOf } from './errors'

function refused(detail: string, errors: Record<string, string[]>): ApiProblem {
  return new ApiProblem({ type: '', title: '', status: 400, detail, code: 'invalid', errors })
}

test('what the sentence says of a field already is not said again', () => {
  expect(explain(refused('name: is taken', { name: ['is taken'] }))).toBe('name: is taken')
})

test('what the sentence leaves out of a field is added to it', () => {
  const problem = refused('count: must be a number', { count: ['must be a number'], 'strategy.params': ['too few', 'too plain'] })
  expect(explain(problem)).toBe('count: must be a number. strategy.params: too few too plain.')
})

const errors = { name: ['is taken'], 'budget.labels': ['must be 0 or more'], 'strategy.params.block': ['must be a number', 'at least 1'], budgets: ['no'] }
const problem = refused('no', errors)

test('a fault that begins with a name keeps the name as it is written', () => {
  expect(faultOf(refused('', { parent: ['pets-cnn@3 has no weights'] }), 'parent')).toBe('pets-cnn@3 has no weights.')
})

test('a field is told its own fault, and those of what lies in it by name', () => {
  expect(faultOf(problem, 'name')).toBe('is taken.')
  expect(faultOf(problem, 'budget')).toBe('labels: must be 0 or more.')
  expect(faultOf(problem, 'strategy')).toBe('params.block: must be a number. params.block: at least 1.')
})

test('what stands in a list is counted from 1', () => {
  const long = refused('', { 'reasons.0': ['too long'] })
  expect(faultOf(long, 'reasons')).toBe('Number 1: too long.')
})

test('a field of which nothing was said has no fault', () => {
  expect(faultOf(problem, 'count')).toBeNull()
  expect(faultOf(new Error('no'), 'name')).toBeNull()
})
