import { expect, test } from 'vitest'

import { commandFor } from './commands'

function stroke(key: string, code: string, held: { ctrlKey?: boolean; shiftKey?: boolean; altKey?: boolean } = {}) {
  return { key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, ...held }
}

test.each([
  ['1', 'Digit1', {}, 0],
  ['0', 'Digit0', {}, 9],
  ['!', 'Digit1', { shiftKey: true }, 10],
  [')', 'Digit0', { shiftKey: true }, 19],
  ['&', 'Digit1', {}, 0], // AZERTY types & where QWERTY has 1
  ['7', 'Numpad7', {}, 6],
])('%s on %s chooses a class by its place on the keyboard', (key, code, held, index) => {
  expect(commandFor(stroke(key, code, held), 'all')).toEqual({ do: 'choose', index })
})

test.each([
  ['a', 'KeyA', {}, { do: 'accept' }],
  ['a', 'KeyQ', {}, { do: 'accept' }], // the letter counts, not its place: AZERTY has A on KeyQ
  ['Enter', 'Enter', {}, { do: 'accept' }],
  ['ф', 'KeyA', {}, { do: 'accept' }], // Cyrillic falls back to the place
  ['s', 'KeyS', {}, { do: 'skip' }],
  ['Backspace', 'Backspace', {}, { do: 'undo' }],
  ['z', 'KeyZ', { ctrlKey: true }, { do: 'undo' }],
  ['z', 'KeyZ', {}, { do: 'zoom' }],
  ['B', 'KeyB', { shiftKey: true }, { do: 'brightness', step: -1 }],
  ['c', 'KeyC', {}, { do: 'contrast', step: 1 }],
  ['ArrowLeft', 'ArrowLeft', {}, { do: 'back' }],
  ['?', 'Slash', { shiftKey: true }, { do: 'help' }],
])('%s (%s) is a command', (key, code, held, command) => {
  expect(commandFor(stroke(key, code, held), 'all')).toEqual(command)
})

test('the browser keeps its own combinations', () => {
  expect(commandFor(stroke('1', 'Digit1', { ctrlKey: true }), 'all')).toBeNull()
  expect(commandFor(stroke('a', 'KeyA', { ctrlKey: true }), 'all')).toBeNull()
  expect(commandFor(stroke('ArrowLeft', 'ArrowLeft', { altKey: true }), 'all')).toBeNull()
})

test('letters, then digits too, can be switched off; Enter, Backspace and arrows stay', () => {
  expect(commandFor(stroke('s', 'KeyS'), 'digits')).toBeNull()
  expect(commandFor(stroke('1', 'Digit1'), 'digits')).toEqual({ do: 'choose', index: 0 })
  expect(commandFor(stroke('1', 'Digit1'), 'none')).toBeNull()
  expect(commandFor(stroke('Enter', 'Enter'), 'none')).toEqual({ do: 'accept' })
})
