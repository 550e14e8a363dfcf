import { expect, test } from 'vitest'

import { ApiProblem } from '../api/errors'
import { faultOf } from './form'

const errors = { name: ['is taken'], 'budget.labels': ['must be 0 or more'], 'strategy.params.block': ['must be a number', 'at least 1'], budgets: ['no'] }
const problem = new ApiProblem({ type: '', title: '', status: 422, detail: 'no', code: 'invalid', errors })

test('a field is told its own fault in a sentence, and those of what lies in it by name', () => {
  expect(faultOf(problem, 'name')).toBe('Is taken.')
  expect(faultOf(problem, 'budget')).toBe('Labels: must be 0 or more.')
  expect(faultOf(problem, 'strategy')).toBe('Params.block: must be a number. Params.block: at least 1.')
})

test('what stands in a list is counted from 1', () => {
  const long = new ApiProblem({ type: '', title: '', status: 400, detail: '', code: 'invalid', errors: { 'reasons.0': ['too long'] } })
  expect(faultOf(long, 'reasons')).toBe('Number 1: too long.')
})

test('a field of which nothing was said has no fault', () => {
  expect(faultOf(problem, 'count')).toBeNull()
  expect(faultOf(new Error('no'), 'name')).toBeNull()
})
