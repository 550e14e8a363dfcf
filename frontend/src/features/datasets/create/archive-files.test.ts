import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { expect, test } from 'vitest'

import { tarOf } from '../exchange/tar'
import { filesIn, isDoubtful, NamesNotUtf8 } from './archive-files'
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

const bytesOf = (text: string) => new TextEncoder().encode(text)
// 照片/1.png and 图片/1.png in GBK.
const [gbk, chance] = [[0xd5, 0xd5, 0xc6, 0xac], [0xcd, 0xbc, 0xc6, 0xac]].map((folder) => new Uint8Array([...folder, ...bytesOf('/1.png')])) as [Uint8Array, Uint8Array]

/** A zip of one empty file whose name has these bytes, without the flag that says UTF-8. */
async function zipNamed(name: Uint8Array): Promise<File> {
  const plain = 'x'.repeat(name.length)
  const writer = new ZipWriter(new BlobWriter(), { useUnicodeFileNames: false })
  await writer.add(plain, new TextReader(''))
  const bytes = new Uint8Array(await (await writer.close()).arrayBuffer())
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  for (let at = text.indexOf(plain); at >= 0; at = text.indexOf(plain, at + 1)) bytes.set(name, at)
  return new File([bytes], 'a.zip')
}

test('names of a zip that nothing says the encoding of are UTF-8, in composed form', async () => {
  const [found] = await filesIn(await zipNamed(bytesOf('Ba\u0308ume/Rose ü.png')))
  expect(found?.path).toBe('Bäume/Rose ü.png')
})

test.each([gbk, chance])('names in another encoding are asked about, then read', async (name) => {
  await expect(filesIn(await zipNamed(name))).rejects.toThrow(NamesNotUtf8)
  const [found] = await filesIn(await zipNamed(name), 'gbk')
  expect(found?.path).toMatch(/^[照图]片\/1.png$/)
})

test('a name that tells that it is UTF-8 speaks for the archive', () => {
  expect(isDoubtful([chance])).toBe(true)
  expect([['дом'], ['Blüten'], ['猫/ü1'], ['plain']].map((names) => isDoubtful(names.map(bytesOf)))).toEqual([false, false, false, false])
  expect(isDoubtful([chance, bytesOf('γάτα')])).toBe(false)
})
