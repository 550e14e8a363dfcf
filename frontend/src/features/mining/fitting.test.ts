import { expect, test } from 'vitest'

import type { MiningJob } from '../../shared/api/types'
import { miningSearch } from '../../shared/routes/mining-search'
import { fitting } from './fitting'

const job = (id: number, strategy: string, state: string, queue: string | null = null) =>
  ({ id, dataset: 'digits', model: 'cnn@2', strategy: { name: strategy, params: {} }, queue, job: { state } }) as unknown as MiningJob
const jobs = [job(1, 'margin', 'succeeded', 'night'), job(2, 'k_center', 'running'), job(3, 'margin', 'failed')]
const found = (search: Record<string, unknown>) => fitting(jobs, miningSearch(search)).map(({ id }) => id)

test('every word of a search must fit, and the state', () => {
  expect(found({ q: 'MARGIN digits' })).toEqual([1, 3])
  expect(found({ q: 'k center' })).toEqual([2])
  expect(found({ q: 'margin', state: 'failed' })).toEqual([3])
  expect(found({ q: 'night cnn@2' })).toEqual([1])
})

test('an address that makes no sense shows all', () => {
  expect(found({ q: '', state: 'lost' })).toEqual([1, 2, 3])
})
