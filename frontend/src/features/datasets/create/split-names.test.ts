import { expect, test } from 'vitest'

import names from './split-names.json'
import { classFolders, splitNamed } from './split-names'

test('whole names of folders name splits, as the server reads them', () => {
  expect(Object.fromEntries(Object.keys(names.folders).map((name) => [name, splitNamed(name)]))).toEqual(names.folders)
})

test('no word inside a name does', () => {
  const random = Array.from({ length: 300 }, (_, n) => `x${n.toString(36)}`)
  for (const stem of random) for (const word of ['train', 'val', 'test', 'pool', 'dev']) expect([splitNamed(`${stem}_${word}`), splitNamed(`${word}_${stem}`), splitNamed(`${word}${stem}`)]).toEqual([null, null, null])
})

test('a class may be called like a split', () => {
  for (const [images, classes] of names.classes as [string[], string[]][]) {
    const folders = [...classFolders(images)].map((path) => path.slice(path.lastIndexOf('/') + 1))
    expect([images, [...new Set(folders)].sort()]).toEqual([images, classes])
  }
})
