// @vitest-environment jsdom

import { expect, test, vi } from 'vitest'

import { ApiProblem, Unreachable } from '../../../shared/api/errors'
import { untilAnswered } from './until-answered'

const problem = (status: number) => new ApiProblem({ type: '', title: '', status, detail: '', code: '' })
const patience = () => ({ signal: new AbortController().signal, onWait: vi.fn(), pause: () => Promise.resolve() })

test('what got no answer is sent again with the same key', async () => {
  const keys: string[] = []
  const faults = [new Unreachable(), problem(503), problem(401)]
  const how = patience()
  const call = (key: string) => {
    keys.push(key)
    const fault = faults.shift()
    return fault ? Promise.reject(fault) : Promise.resolve('stored')
  }
  expect(await untilAnswered(call, how)).toBe('stored')
  expect(keys).toHaveLength(4)
  expect(new Set(keys).size).toBe(1)
  expect(how.onWait).toHaveBeenCalledTimes(3)
})

test('a refusal is told at once', async () => {
  const call = vi.fn(() => Promise.reject(problem(413)))
  await expect(untilAnswered(call, patience())).rejects.toMatchObject({ status: 413 })
  expect(call).toHaveBeenCalledOnce()
})

test('somebody who stops is not kept waiting', async () => {
  const stopper = new AbortController()
  const call = vi.fn(() => Promise.reject(new Unreachable()))
  const pause = () => {
    stopper.abort()
    return Promise.resolve()
  }
  await expect(untilAnswered(call, { ...patience(), signal: stopper.signal, pause })).rejects.toThrow()
  expect(call).toHaveBeenCalledOnce()
})
