import { expect, test } from 'vitest'

import { archiveOf, belowOneFolder, picked, sorted } from './chosen-files'

const file = (path: string) => ({ path, file: new File(['12345'], path) })

test('images and annotations go, hidden files and other kinds stay behind with a reason, in the order of their names', () => {
  const chosen = sorted(['b.PNG', 'a/labels.json', '.git/x.png', 'notes.docx', 'a/1.jpg'].map(file))
  expect(chosen.files.map(({ name }) => name)).toEqual(['a/1.jpg', 'a/labels.json', 'b.PNG'])
  expect(chosen).toMatchObject({ images: 2, bytes: 15 })
  expect(chosen.left).toEqual([
    { name: '.git/x.png', reason: 'hidden files are not taken; rename it' },
    { name: 'notes.docx', reason: 'it is neither an image nor annotations' },
  ])
})

test('a file whose name says nothing is what its first bytes say', async () => {
  const named = (name: string, head: string) => new File([Uint8Array.from(head, (char) => char.charCodeAt(0))], name)
  const list = [
    named('photo', '\xff\xd8\xff\xe0'),
    named('scan.jfif', '\xff\xd8\xff\xe0'),
    named('drive.mp4', '\0\0\0\x18ftypisom\0\0\0\0isommp42'),
    named('phone.heic', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
    named('web.avif', '\0\0\0\x18ftypavif\0\0\0\0mif1avif'),
    named('scan.tif', 'II*\0'),
    named('empty', ''),
  ]
  const { files, images, left } = sorted(await picked(list as unknown as FileList))
  expect(files.map(({ name }) => name)).toEqual(['photo', 'scan.jfif'])
  expect(images).toBe(2)
  expect(left.map(({ name, reason }) => `${name}: ${reason.split(' is ')[0]}`)).toEqual([
    'drive.mp4: MP4 video',
    'empty: the file',
    'phone.heic: HEIC',
    'scan.tif: TIFF',
    'web.avif: AVIF',
  ])
})

test('what can be converted stays behind, or goes along on request', async () => {
  const named = (name: string, head: string) => new File([Uint8Array.from(head, (char) => char.charCodeAt(0))], name)
  const list = [
    named('a.tif', 'II*\0'),
    named('b.bmp', 'BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0'),
    named('c.heic', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
    named('d.mp4', '\0\0\0\x18ftypisom\0\0\0\0isommp42'),
    named('e', 'BMI,weight and more of a text'),
    named('f.png', ''),
  ]
  const found = await picked(list as unknown as FileList)
  const plain = sorted(found)
  expect(plain).toMatchObject({ images: 1, convertible: 3 })
  expect(plain.left.map(({ name }) => name)).toEqual(['a.tif', 'b.bmp', 'c.heic', 'd.mp4', 'e'])
  expect(plain.left[0]?.reason).toBe('TIFF is not taken: convert it to JPEG, PNG or WebP, or choose “Convert”')
  const converted = sorted(found, true)
  expect(converted).toMatchObject({ images: 4, convertible: 3 })
  expect(converted.files.map(({ name, isImage }) => [name, isImage])).toEqual([
    ['a.tif', true],
    ['b.bmp', true],
    ['c.heic', true],
    ['f.png', true],
  ])
  expect(converted.left.map(({ name }) => name)).toEqual(['d.mp4', 'e'])
})

test('an archive is taken alone; among other files it stays behind and says so', () => {
  expect(archiveOf([file('pets.tar.gz')])?.name).toBe('pets.tar.gz')
  expect(archiveOf([file('pets.ZIP')])?.name).toBe('pets.ZIP')
  expect(archiveOf([file('a.png')])).toBeNull()
  expect(archiveOf([file('pets.zip'), file('a.png')])).toBeNull()
  expect(sorted([file('pets.zip'), file('a.png')])).toMatchObject({ images: 1, left: [{ name: 'pets.zip', reason: 'an archive must be added alone' }] })
})

test('the one folder around everything is not part of the keys, unless it names a split or a class', () => {
  const known = new Set(['train', 'cat'])
  expect(belowOneFolder(['pets/a.png', 'pets/cat/b.png'], known)('pets/cat/b.png')).toBe('cat/b.png')
  expect(belowOneFolder(['train/a.png', 'train/b.png'], known)('train/a.png')).toBe('train/a.png')
  expect(belowOneFolder(['pets/a.png', 'dogs/b.png'], known)('pets/a.png')).toBe('pets/a.png')
  expect(belowOneFolder(['a.png'], known)('a.png')).toBe('a.png')
})
