// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { aDataset } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const of = (name: string, images: number) => ({ class: name, images, objects: null, by_split: { train: images }, filter: `class = ${name}` })

function serve(classes: object[]): URL[] {
  const asked: URL[] = []
  answer('get', '/datasets/pets', aDataset())
  for (const part of ['versions', 'slices']) list(`/datasets/pets/${part}`, [])
  answer('get', '/datasets/pets/filters', { fields: [], objects: [], object_fields: [] })
  answer('get', '/datasets/pets/versions/head/statistics', { version: 1, filter: null, images: 4, labelled: 4, by_split: { train: 4 }, classes, objects: null })
  receive('get', '/datasets/pets/versions/head/samples', ({ url }) => {
    asked.push(url)
    const filter = url.searchParams.get('filter') ?? 'all'
    const row = { id: 7, key: `${filter}.png`, digest: 'a', split: 'train', label: { class: 'cat' }, label_source: 'import', label_facts: null, width: 8, height: 8, media_type: 'image/png', original: null, meta: {}, url: '/b', thumb: '/t' }
    return HttpResponse.json({ results: [row], total: 1, offset: 0, next: null })
  })
  return asked
}

test('the statistics show a few images of each class that has any, and each leads to its sample', async () => {
  const asked = serve([of('cat', 3), of('dog', 1), of('cow', 0)])
  openApp('/datasets/pets/statistics?filter=split = train')
  const pictures = within(await screen.findByRole('region', { name: 'Some of the images' }))
  const cat = await pictures.findByRole('img', { name: /class = cat/ })
  expect(pictures.getAllByRole('figure').map((each) => each.textContent)).toEqual(['cat', 'dog'])
  expect(cat.closest('a')?.getAttribute('href')).toBe('/app/datasets/pets?ids=7')
  expect(asked.map((url) => url.searchParams.get('filter'))).toEqual(['split = train and class = cat', 'split = train and class = dog'])
})

test('without a label the images are of all samples together', async () => {
  serve([of('cat', 0)])
  openApp('/datasets/pets/statistics')
  const pictures = within(await screen.findByRole('region', { name: 'Some of the images' }))
  expect(await pictures.findByRole('img', { name: 'all.png' })).toBeTruthy()
})
