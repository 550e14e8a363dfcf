import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { expect, test } from 'vitest'

import { tarOf } from '../exchange/tar'
import { filesIn } from './archive-files'
import { mostBytes } from './known-classes'

const long = `${'deep/'.repeat(30)}ä.png`
const contents: Readonly<Record<string, string>> = { 'train/cat/1.png': 'no image', [long]: '', 'labels/coco.json': '{"categories": [{"name": "cat"}]}', 'read.me': 'x' }

function tar(): Blob {
  return tarOf(Object.entries(contents).map(([name, text]) => ({ name, data: new Blob([text]) })))
}

async function zip(): Promise<Blob> {
  const writer = new ZipWriter(new BlobWriter())
  for (const [name, text] of Object.entries(contents)) await writer.add(name, new TextReader(text))
  return writer.close()
}

const archives: Readonly<Record<string, () => Promise<Blob>>> = {
  'a.zip': zip,
  'a.tar': () => Promise.resolve(tar()),
  'a.tar.gz': () => new Response(tar().stream().pipeThrough(new CompressionStream('gzip'))).blob(),
}

test.each(Object.keys(archives))('%s lists its files, and reads annotations alone', async (name) => {
  const found = await filesIn(new File([(await archives[name]?.()) ?? ''], name))
  expect(found.map(({ path, kind }) => [path, kind?.kind])).toEqual([
    ['train/cat/1.png', 'image'],
    [long, 'image'],
    ['labels/coco.json', 'annotations'],
    ['read.me', 'left'],
  ])
  expect(found.map(({ file }) => file.size)).toEqual(Object.values(contents).map((text) => new Blob([text]).size))
  const texts = await Promise.all(found.map(({ file }) => file.text()))
  expect(texts).toEqual(['', '', contents['labels/coco.json'], ''])
})

test('annotations that are too large are listed and not read', async () => {
  const data = new Blob([new Uint8Array(mostBytes + 1)])
  const [found] = await filesIn(new File([tarOf([{ name: 'large.json', data }])], 'a.tar'))
  expect(found?.file.size).toBe(mostBytes + 1)
  expect(await found?.file.text()).toBe('')
})

test.each(['a.zip', 'a.tar', 'a.tgz'])('what is no archive is refused: %s', async (name) => {
  await expect(filesIn(new File(['these are words, and no archive of any kind'.repeat(30)], name))).rejects.toThrow()
})
