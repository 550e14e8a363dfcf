import { expect, test } from 'vitest'

import { Editor } from './editor'
import { type DrawingOrder, newPreferences } from './editor-preferences'
import { handAt } from './input/hand'

function editorOf(order: DrawingOrder) {
  const editor = new Editor({ width: 400, height: 300 }, [], { ...newPreferences('bolt'), order })
  editor.useTool('box')
  const classes = () => editor.snapshot().shapes.map((shape) => shape.class)
  return { editor, hand: handAt(editor), classes }
}

test('who draws first names the shape that was just drawn, also after the tool was taken up again', () => {
  const { editor, hand, classes } = editorOf('draw-first')
  hand.drag([10, 10], [50, 50])
  editor.choose('nut')
  expect(classes()).toEqual(['nut'])
  hand.drag([60, 60], [90, 90])
  editor.useTool('box')
  expect(editor.selectedShapes()).toEqual([])
  editor.choose('gear')
  expect(classes()).toEqual(['nut', 'gear'])
})

test('once a shape was left, a class is for the next one', () => {
  const { editor, hand, classes } = editorOf('draw-first')
  hand.drag([10, 10], [50, 50])
  editor.escape()
  expect(editor.named()).toEqual([])
  editor.choose('nut')
  hand.drag([60, 60], [90, 90])
  expect(classes()).toEqual(['bolt', 'nut'])
})

test('who names first never changes what was drawn without selecting it', () => {
  const { editor, hand, classes } = editorOf('name-first')
  hand.drag([10, 10], [50, 50])
  editor.choose('nut')
  hand.drag([60, 60], [90, 90])
  expect(classes()).toEqual(['bolt', 'nut'])
  editor.useTool('select')
  hand.click(30, 30)
  editor.choose('gear')
  expect(classes()).toEqual(['gear', 'nut'])
})

test('a drag of the select tool that moves nothing says which tools draw', () => {
  const { editor, hand, classes } = editorOf('draw-first')
  editor.useTool('select')
  hand.drag([100, 100], [200, 200])
  expect(editor.snapshot().refusal).toMatch(/Select tool draws nothing/)
  editor.useTool('box')
  expect(editor.snapshot().refusal).toBeNull()
  hand.drag([100, 100], [200, 200])
  expect(classes()).toEqual(['bolt'])
})
