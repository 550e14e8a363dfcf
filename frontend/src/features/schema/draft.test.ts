import { describe, expect, test } from 'vitest'

import type { SchemaClass } from '../../shared/classes/types'
import { changes, type Draft, freeKey, nameFault, onTopOf, withChange, withClass, without } from './draft'

const bolt: SchemaClass = { name: 'bolt', key: '1', colour: '#0072b2', dash: 0, guideline: '', examples: [], archived: false }
const nut: SchemaClass = { ...bolt, name: 'nut', key: '2', colour: '#e69f00' }
const old: SchemaClass = { ...bolt, name: 'rivet', key: '3', colour: '#009e73', archived: true }
const base: Draft = { classes: [bolt, nut, old], guideline: '' }
const keys = (draft: Draft) => draft.classes.map(({ name, key }) => `${name} ${key ?? '-'}`)

describe('keys', () => {
  test('a further class takes the next free key and moves nobody, and the archive keeps its keys', () => {
    expect(keys(withClass(base, 'gear'))).toEqual(['bolt 1', 'nut 2', 'rivet 3', 'gear 4'])
    expect(keys(withClass(without(base, 'bolt'), 'gear'))).toEqual(['nut 2', 'rivet 3', 'gear 1'])
  })

  test('past twenty classes there is no key left', () => {
    let draft: Draft = { classes: [], guideline: '' }
    for (let place = 0; place < 21; place += 1) draft = withClass(draft, `c${place}`)
    expect(draft.classes.slice(9, 11).map(({ key }) => key)).toEqual(['0', 'shift+1'])
    expect(draft.classes[20]?.key).toBeNull()
    expect(freeKey(draft.classes)).toBeNull()
  })

  test('taking the key of another class swaps the two', () => {
    expect(keys(withChange(base, 'bolt', { key: '2' }))).toEqual(['bolt 2', 'nut 1', 'rivet 3'])
  })
})

test('past eight classes a colour comes back with another dash', () => {
  let draft: Draft = { classes: [], guideline: '' }
  for (let place = 0; place < 9; place += 1) draft = withClass(draft, `c${place}`)
  const [first, ninth] = [draft.classes[0], draft.classes[8]]
  expect(ninth?.colour).toBe(first?.colour)
  expect([first?.dash, ninth?.dash]).toEqual([0, 1])
})

test('a name must be new, whatever its case', () => {
  expect(nameFault(base, 'gear')).toBeNull()
  expect(nameFault(base, ' ')).toContain('needs a name')
  expect(nameFault(base, 'Nut')).toContain('exists already')
  expect(nameFault(base, 'rivet')).toContain('archive')
})

test('what differs is said in words', () => {
  const after = withChange(withClass(without(base, 'rivet'), 'gear'), 'nut', { key: '9', archived: true })
  expect(changes(base, { ...after, guideline: 'Look twice.' })).toEqual([
    'nut: key 2 → 9, archived',
    'gear: added',
    'rivet: removed',
    'common guideline changed',
  ])
  expect(changes(base, base)).toEqual([])
})

describe('somebody else saved meanwhile', () => {
  const theirs = withChange(withClass(base, 'gear'), 'bolt', { guideline: 'Has a head.' })

  test('my changes go on top and theirs stay', () => {
    const merged = onTopOf(theirs, base, withChange(base, 'bolt', { colour: '#ff0000' }))
    expect(merged.classes[0]).toMatchObject({ colour: '#ff0000', guideline: 'Has a head.' })
    expect(merged.classes.map(({ name }) => name)).toEqual(['bolt', 'nut', 'rivet', 'gear'])
  })

  test('a class that both added is one class, and one that only I added gets a key that is free there', () => {
    const merged = onTopOf(theirs, base, withClass(withClass(base, 'gear'), 'washer'))
    expect(keys(merged)).toEqual(['bolt 1', 'nut 2', 'rivet 3', 'gear 4', 'washer 5'])
  })

  test('what I removed stays removed', () => {
    expect(onTopOf(theirs, base, without(base, 'rivet')).classes.map(({ name }) => name)).toEqual(['bolt', 'nut', 'gear'])
  })
})
