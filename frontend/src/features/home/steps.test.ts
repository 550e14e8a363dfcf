import { expect, test } from 'vitest'

import type { Dataset, Model } from '../../shared/api/types'
import { firstStepsOf } from './steps'

const dataset = (name: string, samples: number, labelled: number) => ({ name, counts: { samples, labelled } }) as Dataset
const model = (name: string, latest: number | null, ...aliases: string[]) => ({ name, latest, aliases: aliases.map((alias) => ({ name: alias, version: 1 })) }) as Model

test('each step is done once something shows it, and the next one is about what is furthest', () => {
  expect(firstStepsOf([], [], [], false)).toEqual({ done: { upload: false, label: false, train: false, promote: false, mine: false }, dataset: null, model: null })
  const empty = dataset('empty', 0, 0)
  expect(firstStepsOf([empty], [model('new', null)], [], false).done).toMatchObject({ upload: false, train: false })
  const some = firstStepsOf([empty, dataset('raw', 9, 0), dataset('half', 9, 3)], [model('new', null), model('old', 2)], [], false)
  expect(some).toMatchObject({ done: { upload: true, label: true, train: true, promote: false }, dataset: { name: 'half' }, model: { name: 'old' } })
  const serving = model('serving', 1, 'production')
  const all = firstStepsOf([dataset('half', 9, 3)], [model('old', 2), serving], [serving], true)
  expect(Object.values(all.done)).not.toContain(false)
  expect(all.model?.name).toBe('serving')
})

test('what was done long ago, beyond the newest of a list, counts as done', () => {
  const { done, model: next } = firstStepsOf([dataset('empty', 0, 0)], [model('new', null)], [model('serving', 4, 'production')], true)
  expect(Object.values(done)).not.toContain(false)
  expect(next?.name).toBe('serving')
})
