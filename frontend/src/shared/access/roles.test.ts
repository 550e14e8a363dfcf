import { expect, test } from 'vitest'

import { aRole, may, type Right, roles, type Standing, standingWords } from './roles'

const rights: readonly Right[] = ['see', 'read', 'label', 'review', 'build', 'own', 'administer']

test.each([
  ['viewer', ['see', 'read']],
  ['annotator', ['see', 'label']],
  ['reviewer', ['see', 'read', 'label', 'review']],
  ['engineer', ['see', 'read', 'label', 'review', 'build']],
  ['owner', ['see', 'read', 'label', 'review', 'build', 'own']],
] as const)('the role %s in a project has the rights %j there, and none elsewhere', (role, has) => {
  const who: Standing = { role, projects: [{ project: 'roads', role }] }
  expect(rights.filter((right) => may(who, right, 'roads'))).toEqual(has)
  expect(rights.filter((right) => may(who, right, null))).toEqual(has)
  expect(rights.filter((right) => may(who, right, 'rail'))).toEqual([])
})

test('an owner of the platform has every right in every project', () => {
  const owner: Standing = { role: 'owner', projects: [] }
  expect(rights.filter((right) => may(owner, right, 'rail'))).toEqual(rights)
  expect(standingWords(owner)).toBe('owner of the platform')
})

test('where no project is picked, a right in any of them is enough: an annotator here and a viewer there label and read', () => {
  const who: Standing = { role: 'annotator', projects: [{ project: 'roads', role: 'annotator' }, { project: 'rail', role: 'viewer' }] }
  expect(rights.filter((right) => may(who, right, null))).toEqual(['see', 'read', 'label'])
  expect(may(who, 'read', 'roads')).toBe(false)
  expect(standingWords(who)).toBe('annotator in roads, viewer in rail')
})

test('somebody in no project sees their own pages', () => {
  const who: Standing = { role: null, projects: [] }
  expect(rights.filter((right) => may(who, right, null))).toEqual(['see'])
  expect(rights.filter((right) => may(undefined, right, null))).toEqual([])
  expect(standingWords(who)).toBe('in no project yet')
})

test('roles have their articles', () => {
  expect(roles.map(aRole)).toEqual(['an owner', 'an engineer', 'a reviewer', 'an annotator', 'a viewer'])
})
