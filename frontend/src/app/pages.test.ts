import { expect, test } from 'vitest'

import { leastAt, pagesOf } from './pages'

test('annotators label and see how they do; the rest is for reviewers, people for owners', () => {
  expect(pagesOf('annotator').map(({ to }) => to)).toEqual(['/', '/label', '/team', '/settings'])
  expect(pagesOf('owner').filter((page) => !pagesOf('reviewer').includes(page) && page.least === 'owner').map(({ to }) => to)).toEqual(['/people'])
})

test.each([
  ['/', 'annotator'],
  ['/label/7', 'annotator'],
  ['/settings/keys', 'annotator'],
  ['/labels', 'reviewer'],
  ['/runs/4', 'reviewer'],
  ['/datasets/signs/map', 'reviewer'],
  ['/people', 'owner'],
])('%s is for %ss on', (path, least) => {
  expect(leastAt(path)).toBe(least)
})
