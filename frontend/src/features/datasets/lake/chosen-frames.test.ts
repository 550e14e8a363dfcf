import { expect, test } from 'vitest'

import { chosenFrames, fingerprintOfAll, prefixFault } from './chosen-frames'

const found = (path: string, bytes = 'x', lastModified = 1) => ({ path, file: new File([bytes], path.split('/').at(-1) ?? '', { lastModified }) })

test('an archive or a manifest is one when it comes alone, images lose the folder they came in', () => {
  expect(chosenFrames([found('frames.tar.gz')])).toMatchObject({ source: 'archive' })
  expect(chosenFrames([found('frames.parquet')])).toMatchObject({ source: 'manifest' })
  const chosen = chosenFrames([found('day-2/b.png'), found('day-2/a/1.jpg', 'xyz'), found('day-2/labels.csv'), found('day-2/frames.zip'), found('day-2/notes.doc')])
  if (chosen.source !== 'images') throw new Error('no images')
  expect([chosen.folder, chosen.bytes, chosen.images.map(({ name }) => name)]).toEqual(['day-2/', 4, ['a/1.jpg', 'b.png']])
  expect(chosen.left.map(({ name }) => name).sort()).toEqual(['frames.zip', 'labels.csv', 'notes.doc'])
})

test('a kind that a dataset converts is not said to be converted here', () => {
  const gif = { ...found('a.gif'), kind: { kind: 'left', reason: 'GIF is not taken: convert it', convertible: true } as const }
  expect(chosenFrames([gif, found('b.png')])).toMatchObject({ left: [{ name: 'a.gif', reason: 'GIF is not taken: convert it' }] })
})

test('files without a folder have none', () => {
  expect(chosenFrames([found('a.png'), found('b.png')])).toMatchObject({ source: 'images', folder: '' })
})

test('the beginning of keys is refused where no key has such a one', () => {
  expect(['', 'day-2/', 'a/b/c-', 'b..'].map(prefixFault)).toEqual([null, null, null, null])
  expect(['/a', 'a//b', '../a', 'a/./', 'a\\b'].map((prefix) => prefixFault(prefix) !== null)).toEqual([true, true, true, true, true])
})

test('images have a fingerprint by their names, sizes and times', async () => {
  const of = (name: string, bytes: string, time: number) => fingerprintOfAll([{ name, data: new File([bytes], 'a.png', { lastModified: time }) }])
  const all = await Promise.all([of('a.png', 'x', 1), of('a.png', 'x', 1), of('b.png', 'x', 1), of('a.png', 'xy', 1), of('a.png', 'x', 2)])
  expect([new Set(all).size, all[0] === all[1], all[0].length]).toEqual([4, true, 64])
})
