// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { asProblem } from '../api/client'
import { ApiProblem } from '../api/errors'
import { Failure } from './messages'

afterEach(cleanup)

function failure(status: number) {
  const error = new ApiProblem(asProblem({ detail: 'ids: there is no run 99' }, { status, statusText: '' }))
  render(<Failure what="The runs could not be compared" error={error} retry={() => undefined} elsewhere={<a href="/runs">To the runs</a>} />)
  return [screen.queryByRole('button', { name: 'Try again' }) !== null, screen.queryByRole('link', { name: 'To the runs' }) !== null]
}

test.each([
  [400, [false, true]],
  [404, [false, true]],
  [409, [true, false]],
  [503, [true, false]],
])('a failure with status %i offers what can help', (status, offered) => {
  expect(failure(status)).toEqual(offered)
  expect(screen.getByText('ids: there is no run 99')).toBeTruthy()
})
