import { expect, test } from 'vitest'

import { batchesOf, classesOf, folderLabels, nameFault, nameOf, planOf } from './plan'

const file = (name: string, size = 1) => ({ name, data: new File(['x'.repeat(size)], name), isImage: !name.endsWith('.json') })

test('innermost folders are classes, splits are not, and annotations are told apart', () => {
  const files = ['train/cat/1.png', 'train/cat/2.png', 'val2017/dog/3.jpg', 'pool/4.png', 'notes/labels.json'].map((name) => file(name))
  const plan = planOf({ files, images: 4, bytes: 5, left: [], convertible: 0 }, 'My Pets (2)')
  expect(plan.folders).toEqual([['cat', 2], ['dog', 1]])
  expect(plan.images).toHaveLength(4)
  expect(plan.annotations.map(({ name }) => name)).toEqual(['notes/labels.json'])
  expect(plan.name).toBe('my-pets-2')
})

test('batches end at 64 files and at 8 MB, and a larger file goes alone', () => {
  expect(batchesOf(Array.from({ length: 130 }, (_, n) => file(String(n)))).map((batch) => batch.length)).toEqual([64, 64, 2])
  const sizes = [5_000_000, 5_000_000, 20_000_000, 1]
  expect(batchesOf(sizes.map((size) => ({ data: { size } }))).map((batch) => batch.length)).toEqual([1, 1, 1, 1])
})

test('names and classes are cleaned', () => {
  expect([nameOf('Größe & Co.'), nameOf('***')]).toEqual(['gro-e-co', ''])
  expect(classesOf(' cat \n\ndog\ncat')).toEqual(['cat', 'dog'])
})

test('the folders that formats keep their images in are no classes', () => {
  const files = ['images/train/1.jpg', 'images/2.jpg', 'JPEGImages/3.jpg', 'image_2/4.png', 'train/cat/5.png'].map((name) => file(name))
  expect(planOf({ files, images: 5, bytes: 5, left: [], convertible: 0 }, 'roads').folders).toEqual([['cat', 1]])
})

test('folders are no labels where objects are asked for', () => {
  expect(folderLabels('classification', ['cat'])).toEqual(['cat'])
  expect([folderLabels('detection', ['cat']), folderLabels('segmentation', ['cat'])]).toEqual([[], []])
})

test.each([
  ['KITTI', 'kitti'],
  ['Held-A', 'held-a'],
  ['Bäume (2)', 'baume-2'],
])('a name that the server would refuse comes with one that it takes: %s', (name, offered) => {
  expect(nameFault(name)).toBe(`must be small letters, digits, dots and dashes: use ${offered}`)
  expect([nameFault(offered), nameFault('')]).toEqual([null, null])
  expect([nameFault('12'), nameFault('***')]).toEqual(['must not be a number alone', 'must be small letters, digits, dots and dashes'])
})
