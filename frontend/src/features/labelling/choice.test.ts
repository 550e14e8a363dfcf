import { expect, test } from 'vitest'

import type { LabelValue } from '../../shared/api/types'
import { Choice } from './choice'
import type { Desk, Past, Seat } from './desk'

const suggestion = { class: 'cat', probability: 0.8, probabilities: { cat: 0.8, dog: 0.6, owl: 0.1 }, model: 'm@1' }

/** A desk that shows one seat and remembers what is said. */
function deskWith(shown: Pick<Past, 'chosen'> | null, hint: typeof suggestion | null = suggestion) {
  const said: LabelValue[] = []
  const seat = { task: { id: 1, suggestion: hint }, lease: {}, ...(shown ? { ...shown, entry: 'e' } : {}) } as unknown as Seat
  const desk = {
    shown: () => seat,
    say: (value: LabelValue) => said.push(value),
    acceptSuggestion: () => said.push({ classes: ['cat', 'dog'] }),
  } as unknown as Desk
  return { desk, said }
}

/** A desk at which one answer can be taken back. */
function deskBefore(chosen: LabelValue) {
  const task = { id: 1, suggestion: null }
  const past = [{ task, lease: { token: 1 }, chosen, entry: 'e' }] as unknown as Past[]
  let ahead: Seat | undefined
  const desk = {
    shown: () => ahead,
    snapshot: () => ({ past }),
    undo: () => {
      const last = past.pop()
      ahead = last && { task: last.task, lease: last.lease }
      return Promise.resolve()
    },
  } as unknown as Desk
  const renew = () => {
    if (ahead) ahead = { ...ahead, lease: { ...ahead.lease, token: 2 } }
  }
  return { desk, renew }
}

const several = { id: 'q', classes: ['cat', 'dog', 'owl'], several: true }

test('with one class a key answers at once', () => {
  const { desk, said } = deskWith(null)
  const choice = new Choice(desk, { id: 'q', classes: several.classes })
  choice.choose('owl')
  choice.choose('yeti')
  expect(said).toEqual([{ class: 'owl' }])
})

test('with several, the first key corrects what the model suggests', () => {
  const { desk, said } = deskWith(null)
  const choice = new Choice(desk, several)
  expect(choice.ticked()).toBeNull()
  choice.choose('owl')
  expect(choice.ticked()).toEqual(['cat', 'dog', 'owl'])
  choice.choose('cat')
  choice.submit()
  expect(said).toEqual([{ classes: ['dog', 'owl'] }])
})

test('Enter without a tick agrees with the model, and says nothing where the model is silent', () => {
  const agreeing = deskWith(null)
  expect(new Choice(agreeing.desk, several).submit()).toBe(true)
  expect(agreeing.said).toEqual([{ classes: ['cat', 'dog'] }])
  const silent = deskWith(null, null)
  expect(new Choice(silent.desk, several).submit()).toBe(false)
  expect(silent.said).toEqual([])
})

test('none of them is an answer, but only when it was meant', () => {
  const { desk, said } = deskWith(null, null)
  const choice = new Choice(desk, several)
  choice.clear()
  choice.submit()
  expect(said).toEqual([{ classes: [] }])
})

test('looking back, the ticks of then are corrected', () => {
  const { desk, said } = deskWith({ chosen: { classes: ['owl'] } })
  const choice = new Choice(desk, several)
  expect(choice.ticked()).toEqual(['owl'])
  choice.choose('dog')
  choice.submit()
  expect(said).toEqual([{ classes: ['dog', 'owl'] }])
})

test('of two classes, rejecting the suggested one says the other', () => {
  const { desk, said } = deskWith(null)
  expect(new Choice(desk, { id: 'q', classes: ['cat', 'dog'] }).clear()).toBe(true)
  expect(new Choice(desk, { id: 'q', classes: several.classes }).clear()).toBe(false)
  expect(said).toEqual([{ class: 'dog' }])
})

test('what is taken back stays ticked, and a renewed lease unticks nothing', () => {
  const { desk, renew } = deskBefore({ classes: ['cat', 'owl'] })
  const choice = new Choice(desk, several)
  choice.undo()
  expect(choice.ticked()).toEqual(['cat', 'owl'])
  renew()
  expect(choice.ticked()).toEqual(['cat', 'owl'])
})
