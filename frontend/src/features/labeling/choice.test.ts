import { expect, test } from 'vitest'

import type { LabelValue, Suggestion } from '../../shared/api/types'
import { Choice } from './choice'
import type { LabelSession } from './label-session'
import type { AnsweredTask, LeasedTask } from './leased-task'

const suggestion = { class: 'cat', probability: 0.8, probabilities: { cat: 0.8, dog: 0.6, owl: 0.1 }, model: 'm@1' }
const both = { classes: ['cat', 'dog'], probability: 0.4, probabilities: { cat: 0.8, dog: 0.4, owl: 0.1 }, model: 'm@1' }

/** A session that shows one leasedTask and remembers what is said. */
function sessionWith(shown: Pick<AnsweredTask, 'chosen'> | null, hint: Suggestion | null = suggestion) {
  const said: LabelValue[] = []
  const leasedTask = { task: { id: 1, suggestion: hint }, lease: {}, ...(shown ? { ...shown, entry: 'e' } : {}) } as unknown as LeasedTask
  const session = {
    shown: () => leasedTask,
    say: (value: LabelValue) => said.push(value),
    acceptSuggestion: () => said.push({ classes: ['cat', 'dog'] }),
  } as unknown as LabelSession
  return { session, said }
}

/** A session at which one answer can be taken back. */
function sessionBefore(chosen: LabelValue) {
  const task = { id: 1, suggestion: null }
  const past = [{ task, lease: { token: 1 }, chosen, entry: 'e' }] as unknown as AnsweredTask[]
  let ahead: LeasedTask | undefined
  const session = {
    shown: () => ahead,
    snapshot: () => ({ past }),
    undo: () => {
      const last = past.pop()
      ahead = last && { task: last.task, lease: last.lease }
      return Promise.resolve()
    },
  } as unknown as LabelSession
  const renew = () => {
    if (ahead) ahead = { ...ahead, lease: { ...ahead.lease, token: 2 } }
  }
  return { session, renew }
}

const several = { id: 'q', classes: ['cat', 'dog', 'owl'], several: true }

test('with one class a key answers at once', () => {
  const { session, said } = sessionWith(null)
  const choice = new Choice(session, { id: 'q', classes: several.classes })
  choice.choose('owl')
  choice.choose('yeti')
  expect(said).toEqual([{ class: 'owl' }])
})

test('with several, the first key corrects what the model suggests', () => {
  const { session, said } = sessionWith(null, both)
  const choice = new Choice(session, several)
  expect(choice.ticked()).toBeNull()
  choice.choose('owl')
  expect(choice.ticked()).toEqual(['cat', 'dog', 'owl'])
  choice.choose('cat')
  choice.submit()
  expect(said).toEqual([{ classes: ['dog', 'owl'] }])
})

test('Enter without a tick agrees with the model, and says nothing where the model is silent', () => {
  const agreeing = sessionWith(null)
  expect(new Choice(agreeing.session, several).submit()).toBe(true)
  expect(agreeing.said).toEqual([{ classes: ['cat', 'dog'] }])
  const silent = sessionWith(null, null)
  expect(new Choice(silent.session, several).submit()).toBe(false)
  expect(silent.said).toEqual([])
})

test('none of them is an answer, but only when it was meant', () => {
  const { session, said } = sessionWith(null, null)
  const choice = new Choice(session, several)
  choice.clear()
  choice.submit()
  expect(said).toEqual([{ classes: [] }])
})

test('looking back, the ticks of then are corrected', () => {
  const { session, said } = sessionWith({ chosen: { classes: ['owl'] } })
  const choice = new Choice(session, several)
  expect(choice.ticked()).toEqual(['owl'])
  choice.choose('dog')
  choice.submit()
  expect(said).toEqual([{ classes: ['dog', 'owl'] }])
})

test('of two classes, rejecting the suggested one says the other', () => {
  const { session, said } = sessionWith(null)
  expect(new Choice(session, { id: 'q', classes: ['cat', 'dog'] }).clear()).toBe(true)
  expect(new Choice(session, { id: 'q', classes: several.classes }).clear()).toBe(false)
  expect(said).toEqual([{ class: 'dog' }])
})

test('what is taken back stays ticked, and a renewed lease unticks nothing', () => {
  const { session, renew } = sessionBefore({ classes: ['cat', 'owl'] })
  const choice = new Choice(session, several)
  choice.undo()
  expect(choice.ticked()).toEqual(['cat', 'owl'])
  renew()
  expect(choice.ticked()).toEqual(['cat', 'owl'])
})
