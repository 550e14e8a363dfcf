import { expect, test } from 'vitest'

import { strokeName, strokeWords } from './keyboard'
import { actionFor, actions, factsOf, isReserved, ownerOf, placeFor, plainKeyMap, readKeyMap, rebound, repeats, type Scope } from './keymap'

type Held = { ctrlKey?: boolean; shiftKey?: boolean; altKey?: boolean; metaKey?: boolean; isComposing?: boolean }

function stroke(key: string, code: string, held: Held = {}) {
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
  expect(placeFor(stroke(key, code, held), plainKeyMap)).toBe(index)
})

test.each([
  ['a', 'KeyA', {}, 'acceptSuggestion'],
  ['a', 'KeyQ', {}, 'acceptSuggestion'], // the letter counts, not its place: AZERTY has A on KeyQ
  ['ф', 'KeyA', {}, 'acceptSuggestion'], // Cyrillic falls back to the place
  ['Enter', 'Enter', {}, 'accept'],
  ['s', 'KeyS', {}, 'skip'],
  ['S', 'KeyS', { shiftKey: true }, 'skipReason'],
  ['Backspace', 'Backspace', {}, 'undo'],
  ['z', 'KeyZ', { ctrlKey: true }, 'undo'],
  ['z', 'KeyZ', { metaKey: true }, 'undo'],
  ['z', 'KeyZ', {}, 'zoom'],
  ['B', 'KeyB', { shiftKey: true }, 'darker'],
  ['c', 'KeyC', {}, 'contrastUp'],
  ['ArrowLeft', 'ArrowLeft', {}, 'back'],
  ['ArrowLeft', 'ArrowLeft', { ctrlKey: true }, 'back'],
])('%s (%s) is a command of the classify workspace', (key, code, held, action) => {
  expect(actionFor(stroke(key, code, held), 'classify', plainKeyMap)).toBe(action)
})

test.each([
  ['Enter', { ctrlKey: true }, 'canvas', 'submit'],
  ['Enter', { ctrlKey: true }, 'grid', 'acceptPage'],
  ['ArrowUp', { altKey: true }, 'canvas', 'lower'],
  ['ArrowUp', { shiftKey: true }, 'canvas', 'nudgeUpFar'],
  ['ArrowUp', { shiftKey: true }, 'grid', 'rangeUp'],
  ['Escape', {}, 'canvas', 'cancel'],
  ['?', { shiftKey: true }, 'global', 'help'],
  ['k', { ctrlKey: true }, 'global', 'palette'],
  ['g', {}, 'global', 'goTo'],
  ['l', {}, 'goto', 'label'],
  ['l', {}, 'canvas', 'names'],
] as const)('%s with %o in %s', (key, held, scope, action) => {
  expect(actionFor(stroke(key, key, held), scope, plainKeyMap)).toBe(action)
})

test('a sign goes by what it types: QWERTZ has ? on another key', () => {
  expect(actionFor(stroke('?', 'Minus', { shiftKey: true }), 'global', plainKeyMap)).toBe('help')
})

test('the browser keeps its own combinations, and text being composed is nobody’s key', () => {
  expect(placeFor(stroke('1', 'Digit1', { ctrlKey: true }), plainKeyMap)).toBeNull()
  expect(actionFor(stroke('a', 'KeyA', { ctrlKey: true }), 'classify', plainKeyMap)).toBeNull()
  expect(actionFor(stroke('ArrowLeft', 'ArrowLeft', { altKey: true }), 'classify', plainKeyMap)).toBeNull()
  expect(actionFor(stroke('s', 'KeyS', { isComposing: true }), 'classify', plainKeyMap)).toBeNull()
  expect(actionFor(stroke('Shift', 'ShiftLeft', { shiftKey: true }), 'classify', plainKeyMap)).toBeNull()
})

test('letters and signs, then digits too, can be switched off; Enter, Backspace, arrows and Ctrl stay', () => {
  const digits = { ...plainKeyMap, single: 'digits' as const }
  const none = { ...plainKeyMap, single: 'none' as const }
  expect(actionFor(stroke('s', 'KeyS'), 'classify', digits)).toBeNull()
  expect(actionFor(stroke('S', 'KeyS', { shiftKey: true }), 'classify', digits)).toBeNull()
  expect(actionFor(stroke('?', 'Slash', { shiftKey: true }), 'global', digits)).toBeNull()
  expect(actionFor(stroke('g', 'KeyG'), 'global', digits)).toBeNull()
  expect(actionFor(stroke('d', 'KeyD'), 'goto', none)).toBe('datasets')
  expect(placeFor(stroke('1', 'Digit1'), digits)).toBe(0)
  expect(placeFor(stroke('1', 'Digit1'), none)).toBeNull()
  expect(actionFor(stroke('Enter', 'Enter'), 'classify', none)).toBe('accept')
  expect(actionFor(stroke('z', 'KeyZ', { ctrlKey: true }), 'canvas', none)).toBe('undo')
})

test('no two actions of a scope share a stroke, and none takes a digit', () => {
  for (const scope of Object.keys(actions) as Scope[]) {
    for (const [action, { strokes }] of Object.entries(factsOf(scope))) {
      for (const name of strokes) {
        expect(ownerOf(name, scope, action, plainKeyMap), `${scope}.${action}: ${name}`).toBeNull()
        expect(isReserved(name), `${scope}.${action}: ${name}`).toBe(false)
      }
    }
  }
})

test('another stroke for an action replaces its default, and a taken one names its owner', () => {
  const map = rebound(plainKeyMap, 'classify', 'skip', ['Q'])
  expect(actionFor(stroke('q', 'KeyQ'), 'classify', map)).toBe('skip')
  expect(actionFor(stroke('s', 'KeyS'), 'classify', map)).toBeNull()
  expect(actionFor(stroke('s', 'KeyS'), 'grid', map)).toBe('skip')
  expect(ownerOf('Q', 'classify', 'flag', map)).toEqual({ scope: 'classify', action: 'skip' })
  expect(ownerOf('Mod+K', 'classify', 'flag', map)).toEqual({ scope: 'global', action: 'palette' })
  expect(ownerOf('J', 'goto', 'models', map)).toEqual({ scope: 'goto', action: 'jobs' })
  expect(ownerOf('A', 'goto', 'models', map)).toBeNull()
  expect(ownerOf('J', 'global', 'help', map)).toEqual({ scope: 'canvas', action: 'next' })
  expect(rebound(map, 'classify', 'skip', ['S'])).toEqual(plainKeyMap)
})

test('a stored map survives, what is unknown in it does not', () => {
  const map = rebound({ ...plainKeyMap, single: 'digits' }, 'canvas', 'box', ['W'])
  expect(readKeyMap(JSON.parse(JSON.stringify(map)))).toEqual(map)
  expect(readKeyMap({ single: 'loud', strokes: { 'canvas.gone': ['W'], 'canvas.box': 'W', nonsense: ['Q'] } })).toEqual(plainKeyMap)
  expect(readKeyMap(null)).toEqual(plainKeyMap)
})

test('only what is safe to repeat goes on while a key is held', () => {
  expect(repeats('classify', 'brighter')).toBe(true)
  expect(repeats('classify', 'accept')).toBe(false)
  expect(repeats('grid', 'acceptPage')).toBe(false)
})

test('strokes have one name and are printed as on the keys', () => {
  expect(strokeName(stroke('+', 'Equal', { shiftKey: true }))).toBe('+')
  expect(strokeName(stroke('1', 'Numpad1', { shiftKey: true }))).toBe('1')
  expect(strokeWords('Mod+Shift+Z')).toBe('Ctrl ⇧ Z')
  expect(strokeWords('Shift+1')).toBe('⇧1')
  expect(strokeWords('+')).toBe('+')
})
