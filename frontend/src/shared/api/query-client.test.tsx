// As in a browser: where there is no window, nothing is asked again by itself.
import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { ApiProblem, Unreachable } from './errors'
import { makeQueryClient } from './query-client'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function refusal(status: number): ApiProblem {
  return new ApiProblem({ type: 'about:blank', title: 'no', status, detail: 'no', code: 'no' })
}

/** How often a page asks in two minutes that is refused once and answered then; and what it has in the end. */
async function asked(fault: Error): Promise<[number, string | undefined]> {
  const ask = vi.fn<() => Promise<string>>().mockRejectedValueOnce(fault).mockResolvedValue('answer')
  const observer = new QueryObserver(makeQueryClient({ retry: false }), { queryKey: ['thing'], queryFn: ask })
  const leave = observer.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(120_000)
  const found = observer.getCurrentResult().data
  leave()
  return [ask.mock.calls.length, found]
}

test('a page that the server cannot answer yet, or that cannot reach it, asks again by itself until it has an answer', async () => {
  expect(await asked(refusal(503))).toEqual([2, 'answer'])
  expect(await asked(new Unreachable())).toEqual([2, 'answer'])
})

test('a clear no stays a no', async () => {
  expect(await asked(refusal(404))).toEqual([1, undefined])
  expect(await asked(refusal(409))).toEqual([1, undefined])
})
