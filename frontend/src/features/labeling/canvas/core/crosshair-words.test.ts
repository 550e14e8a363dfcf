import { expect, test } from 'vitest'

import { crosshairWords } from './crosshair-words'
import { Editor } from './editor'
import { newPreferences } from './editor-preferences'
import { handAt } from './input/hand'

const said = (editor: Editor) => crosshairWords(editor.snapshot())

test('keys that draw a polygon are told the crosshair and each corner that they set', () => {
  const editor = new Editor({ width: 400, height: 300 }, [], newPreferences('bolt'))
  expect(said(editor)).toBe('')
  editor.useTool('polygon')
  expect(said(editor)).toBe('Crosshair at 200, 150.')
  editor.enter()
  expect(said(editor)).toBe('Corner 1 at 200, 150.')
  editor.nudge({ x: 50, y: 0 }, false)
  expect(said(editor)).toBe('Crosshair at 250, 150.')
  editor.enter()
  expect(said(editor)).toBe('Corner 2 at 250, 150.')
  editor.nudge({ x: 0, y: 500 }, false)
  expect(said(editor)).toBe('Crosshair at 250, 300.') // the image's edge holds it
  editor.enter()
  editor.backspace()
  expect(said(editor)).toBe('Crosshair at 250, 300.')
})

test('a pointer that moves the crosshair is not spoken of', () => {
  const editor = new Editor({ width: 400, height: 300 }, [], newPreferences('bolt'))
  editor.useTool('box')
  handAt(editor).click(20, 30)
  expect(said(editor)).toBe('')
  editor.nudge({ x: 1, y: 0 }, false)
  expect(said(editor)).toMatch(/^Crosshair at /)
})
