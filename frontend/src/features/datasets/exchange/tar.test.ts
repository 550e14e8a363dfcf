// @vitest-environment jsdom

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

import { tarOf } from './tar'

const names = ['a.png', 'train/cat/1.png', `${'deep/'.repeat(40)}x.png`, 'Straße/größe – 猫.png', 'pool/empty.png']

function bytesOf(blob: Blob): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(new Uint8Array(reader.result as ArrayBuffer))
    reader.onerror = () => reject(reader.error ?? new Error('unread'))
    reader.readAsArrayBuffer(blob)
  })
}

test('the tar of the machine unpacks what was packed, long and foreign names too', async () => {
  const members = names.map((name, place) => ({ name, data: new Blob(['x'.repeat(place === 4 ? 0 : 511 + place)]) }))
  const folder = mkdtempSync(join(tmpdir(), 'tar-'))
  writeFileSync(join(folder, 'made.tar'), await bytesOf(tarOf(members)))
  execFileSync('tar', ['-xf', 'made.tar'], { cwd: folder })
  const sizes = names.map((name) => readFileSync(join(folder, name)).length)
  expect(sizes).toEqual([511, 512, 513, 514, 0])
})

test('the same files make the same bytes, so that a repeated upload is known again', async () => {
  const make = () => tarOf([{ name: 'a.png', data: new Blob(['same']) }])
  expect(await bytesOf(make())).toEqual(await bytesOf(make()))
})
