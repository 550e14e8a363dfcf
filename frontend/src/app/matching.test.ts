import { expect, test } from 'vitest'

import { matching } from './matching'

const go = () => undefined
const all = [
  { name: 'Datasets', kind: 'page', go },
  { name: 'big-digits', kind: 'dataset', go },
  { name: 'digits', kind: 'dataset', go },
  { name: 'digits-cnn', kind: 'model', go },
  { name: 'prodigits', kind: 'model', go },
]
const names = (wanted: string) => matching(all, wanted).map(({ name }) => name)

test('names that begin so come first, then words, then the rest', () => {
  expect(names('digits')).toEqual(['digits', 'digits-cnn', 'big-digits', 'prodigits'])
})

test('every word must be there, in the name or the kind', () => {
  expect(names('model dig')).toEqual(['digits-cnn', 'prodigits'])
  expect(names('model cat')).toEqual([])
  const job = { name: 'Publish datasets/digits.git', kind: 'job 5', go }
  expect(matching([...all, job], 'dataset digits').map(({ name }) => name)).toEqual(['digits', 'big-digits', 'Publish datasets/digits.git'])
})

test('nothing typed shows all in their order', () => {
  expect(names('')).toHaveLength(all.length)
})
