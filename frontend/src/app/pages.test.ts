import { expect, test } from 'vitest'

import { may, type Right } from '../shared/access/roles'
import type { Role } from '../shared/access/types'
import { pagesOf, rightAt } from './pages'

const rightsOf = (role: Role) => (right: Right) => may({ role, projects: [{ project: 'roads', role }] }, right, 'roads')
const addresses = (role: Role) => pagesOf(rightsOf(role)).map(({ to }) => to)
const everything = pagesOf(() => true).map(({ to }) => to)

test('annotators label and see how they do, viewers read; people are for owners of the platform', () => {
  expect(addresses('annotator')).toEqual(['/', '/label', '/team', '/settings'])
  expect(addresses('viewer')).toEqual(everything.filter((to) => !['/label', '/review', '/team', '/people'].includes(to)))
  for (const role of ['reviewer', 'engineer', 'owner'] as const) expect(addresses(role)).toEqual(everything.filter((to) => to !== '/people'))
})

test.each([
  ['/', 'see'],
  ['/label/7', 'label'],
  ['/settings/keys', 'see'],
  ['/settings/projects/roads', 'see'],
  ['/settings/audit', 'own'],
  ['/labels', 'read'],
  ['/runs/4', 'read'],
  ['/datasets/signs/map', 'read'],
  ['/datasets/new', 'build'],
  ['/pipelines/3', 'read'],
  ['/pipelines/3/edit', 'build'],
  ['/people', 'administer'],
])('%s asks for the right to %s', (path, right) => {
  expect(rightAt(path)).toBe(right)
})
