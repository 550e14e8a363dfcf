import { expect, test } from 'vitest'

import { belowOneFolder, sorted } from './chosen-files'

const file = (path: string) => ({ path, file: new File(['12345'], path) })

test('images and annotations go, hidden files and other kinds stay behind, in the order of their names', () => {
  const chosen = sorted(['b.PNG', 'a/labels.json', '.git/x.png', 'notes.docx', 'a/1.jpg'].map(file))
  expect(chosen.files.map(({ name }) => name)).toEqual(['a/1.jpg', 'a/labels.json', 'b.PNG'])
  expect(chosen).toMatchObject({ images: 2, bytes: 15, left: ['.git/x.png', 'notes.docx'] })
})

test('the one folder around everything is not part of the keys, unless it names a split or a class', () => {
  const known = new Set(['train', 'cat'])
  expect(belowOneFolder(['pets/a.png', 'pets/cat/b.png'], known)('pets/cat/b.png')).toBe('cat/b.png')
  expect(belowOneFolder(['train/a.png', 'train/b.png'], known)('train/a.png')).toBe('train/a.png')
  expect(belowOneFolder(['pets/a.png', 'dogs/b.png'], known)('pets/a.png')).toBe('pets/a.png')
  expect(belowOneFolder(['a.png'], known)('a.png')).toBe('a.png')
})
