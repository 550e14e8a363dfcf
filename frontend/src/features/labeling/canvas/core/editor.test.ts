import { expect, test } from 'vitest'

import { Editor } from './editor'
import { handAt } from './input/hand'
import { ofLabel, ofSuggestion, toLabel } from './label'
import { seeded, seeds } from './seeded'
import { area, extent } from './shapes'
import { newPreferences, type EditorPreferences } from './editor-preferences'

const size = { width: 400, height: 300 }
const suggested = {
  boxes: [
    { class: 'nut', box: [10, 10, 60, 60], score: 0.97 },
    { class: 'gear', box: [100, 100, 160, 150], score: 0.54 },
    { class: 'bolt', box: [200, 40, 260, 90], score: 0.48 },
  ],
}

function editorOf(suggestion: unknown = null, preferences: EditorPreferences = newPreferences('bolt')) {
  const editor = new Editor(size, ofSuggestion(suggestion, size), preferences)
  return { editor, preferences, label: () => toLabel(editor.snapshot().shapes) }
}

test('a box by a drag and one by two clicks are the same box, and the tool stays', () => {
  const { editor, label } = editorOf()
  const hand = handAt(editor)
  editor.useTool('box')
  hand.drag([20, 30], [80, 90])
  hand.click(120, 130)
  hand.click(180, 190)
  expect(label()).toEqual({ boxes: [{ class: 'bolt', box: [20, 30, 80, 90] }, { class: 'bolt', box: [120, 130, 180, 190] }] })
  expect(editor.snapshot().tool).toBe('box')
})

test('a box is drawn inside another, beginning on its very line', () => {
  const { editor, label } = editorOf()
  const hand = handAt(editor)
  editor.useTool('box')
  hand.drag([20, 20], [200, 200])
  hand.drag([20, 60], [120, 120])
  expect(label().boxes.map(({ box }) => box)).toEqual([[20, 20, 200, 200], [20, 60, 120, 120]])
  editor.useTool('select')
  hand.click(100, 100)
  expect(editor.selectedShape()).toMatchObject({ corners: [20, 60, 120, 120] }) // the smaller is reached though the larger is under it
})

test('four extreme points in any order make the box around them', () => {
  const { editor, label } = editorOf()
  const hand = handAt(editor)
  editor.useTool('extreme')
  for (const [x, y] of [[100, 20], [150, 90], [40, 70], [90, 140]] as const) hand.click(x, y)
  expect(label()).toEqual({ boxes: [{ class: 'bolt', box: [40, 20, 150, 140] }] })
})

test('a polygon closes on its first point, by Enter, and loses its last point by Backspace', () => {
  const { editor, label } = editorOf()
  const hand = handAt(editor)
  editor.useTool('polygon')
  for (const [x, y] of [[10, 10], [100, 10], [300, 290], [100, 80]] as const) hand.click(x, y)
  editor.backspace()
  editor.backspace()
  hand.click(90, 90)
  hand.click(11, 11)
  hand.click(200, 200)
  hand.click(250, 200)
  hand.click(250, 260)
  editor.enter()
  expect(label()).toEqual({
    boxes: [],
    polygons: [
      { class: 'bolt', points: [[10, 10], [100, 10], [90, 90]] },
      { class: 'bolt', points: [[200, 200], [250, 200], [250, 260]] },
    ],
  })
})

test('a polygon that encloses nothing is not closed: its points stay, with the reason', () => {
  const { editor, label } = editorOf()
  const hand = handAt(editor)
  editor.useTool('polygon')
  for (const [x, y] of [[100, 100], [200, 200], [200, 100], [100, 200]] as const) hand.click(x, y)
  editor.enter()
  expect(label().polygons).toBeUndefined()
  expect(editor.snapshot().draft).toMatchObject({ points: { length: 4 } })
  expect(editor.snapshot().refusal).toContain('no area')
  editor.backspace()
  expect(editor.snapshot().refusal).toBeNull()
  editor.enter()
  expect(label().polygons?.[0]?.points).toHaveLength(3)
})

test('a point of a polygon is moved, put in by dragging a side, and taken away', () => {
  const label = { boxes: [], polygons: [{ class: 'nut', points: [[50, 50], [150, 50], [150, 150], [50, 150]] }] }
  const editor = new Editor(size, ofLabel(label, size), newPreferences('nut'))
  const hand = handAt(editor)
  const points = () => toLabel(editor.snapshot().shapes).polygons?.[0]?.points
  hand.click(100, 100)
  hand.drag([150, 50], [180, 40])
  expect(points()).toEqual([[50, 50], [180, 40], [150, 150], [50, 150]])
  hand.drag([100, 150], [100, 200])
  expect(points()).toEqual([[50, 50], [180, 40], [150, 150], [100, 200], [50, 150]])
  hand.click(100, 200)
  editor.remove()
  hand.click(180, 40, { alt: true })
  expect(points()).toEqual([[50, 50], [150, 150], [50, 150]])
  hand.click(150, 150)
  editor.remove() // three are needed
  expect(points()).toHaveLength(3)
  editor.undo()
  editor.undo()
  editor.undo()
  expect(points()).toEqual([[50, 50], [180, 40], [150, 150], [50, 150]])
})

test('by keyboard alone: Enter begins a box at the crosshair, arrows move it, Enter ends', () => {
  const { editor, label } = editorOf()
  editor.useTool('box')
  editor.nudge({ x: -100, y: -50 }, false)
  editor.enter()
  for (let step = 0; step < 5; step += 1) editor.nudge({ x: 10, y: 10 }, false)
  editor.enter()
  expect(label()).toEqual({ boxes: [{ class: 'bolt', box: [100, 100, 150, 150] }] })
})

test('by keyboard alone: a polygon, whose second Enter on one place closes it', () => {
  const { editor, label } = editorOf()
  editor.useTool('polygon')
  for (const by of [{ x: -50, y: 0 }, { x: 100, y: 0 }, { x: 0, y: 80 }]) {
    editor.nudge(by, false)
    editor.enter()
  }
  editor.enter()
  expect(label().polygons).toEqual([{ class: 'bolt', points: [[150, 150], [250, 150], [250, 230]] }])
})

test('a drag is one entry of the history, and so is a held arrow key', () => {
  const { editor, label } = editorOf()
  const hand = handAt(editor)
  editor.useTool('box')
  hand.drag([20, 20], [60, 60])
  editor.useTool('select')
  hand.click(40, 40)
  hand.drag([40, 40], [140, 90])
  expect(label().boxes[0]?.box).toEqual([120, 70, 160, 110])
  for (let step = 0; step < 30; step += 1) editor.nudge({ x: 1, y: 0 }, false)
  editor.endGesture()
  expect(label().boxes[0]?.box).toEqual([150, 70, 190, 110])
  editor.undo()
  expect(label().boxes[0]?.box).toEqual([120, 70, 160, 110])
  editor.undo()
  expect(label().boxes[0]?.box).toEqual([20, 20, 60, 60])
  editor.undo()
  expect(label().boxes).toEqual([])
})

test('a handle may be pulled past the other side; Alt with arrows makes larger, and neither leaves the image', () => {
  const { editor, label } = editorOf()
  const hand = handAt(editor)
  editor.useTool('box')
  hand.drag([100, 100], [200, 200])
  editor.useTool('select')
  hand.click(150, 150)
  hand.drag([100, 150], [260, 150])
  expect(label().boxes[0]?.box).toEqual([200, 100, 260, 200])
  editor.nudge({ x: 1_000, y: -1_000 }, true)
  expect(label().boxes[0]?.box).toEqual([200, 100, 400, 101])
})

test('accept goes from the least sure to the surest; a digit corrects, and costs the same one key', () => {
  const { editor, label } = editorOf(suggested)
  expect(editor.selectedShape()).toMatchObject({ score: 0.48 })
  editor.accept()
  expect(editor.selectedShape()).toMatchObject({ score: 0.54, confirmed: false })
  editor.choose('nut')
  expect(editor.selectedShape()).toMatchObject({ score: 0.97 })
  editor.remove()
  expect(editor.selectedShape()).toBeNull()
  expect(editor.undecided()).toEqual([])
  expect(label().boxes).toEqual([{ class: 'nut', box: [100, 100, 160, 150] }, { class: 'bolt', box: [200, 40, 260, 90] }])
})

test('accepting all from a score on is one step, and leaves the less sure', () => {
  const { editor, label } = editorOf(suggested)
  expect(editor.acceptFrom(0.54)).toBe(2)
  expect(editor.undecided()).toHaveLength(1)
  editor.undo()
  expect(label().boxes).toEqual([])
})

test('who moves a suggestion has confirmed it', () => {
  const { editor, label } = editorOf(suggested)
  editor.nudge({ x: 1, y: 0 }, false)
  expect(label().boxes).toEqual([{ class: 'bolt', box: [201, 40, 261, 90] }])
})

test('J and K go round, least certain first', () => {
  const { editor } = editorOf(suggested)
  const seen = [1, 1, 1, -1].map((step) => {
    editor.cycle(step === 1 ? 1 : -1)
    return editor.selectedShape()?.score
  })
  expect(seen).toEqual([0.54, 0.97, 0.48, 0.97])
})

test('a digit is for the selected shape, else for the next', () => {
  const { editor, label } = editorOf()
  const hand = handAt(editor)
  editor.choose('gear')
  editor.useTool('box')
  hand.drag([10, 10], [50, 50])
  editor.choose('nut')
  hand.drag([60, 60], [90, 90])
  expect(label().boxes.map((box) => box.class)).toEqual(['nut', 'nut'])
})

test('copies: beside the first, again on the next image, and all of the image before', () => {
  const preferences = newPreferences('bolt')
  const { editor, label } = editorOf(null, preferences)
  const hand = handAt(editor)
  editor.useTool('box')
  hand.drag([10, 10], [50, 50])
  editor.copy()
  editor.paste()
  editor.duplicate()
  expect(label().boxes.map(({ box }) => box)).toEqual([[10, 10, 50, 50], [20, 20, 60, 60], [30, 30, 70, 70]])
  editor.leave()
  const small = new Editor({ width: 40, height: 15 }, [], preferences)
  expect(small.pastePrevious()).toBe(1) // the others lie outside of it
  expect(toLabel(small.snapshot().shapes).boxes[0]?.box).toEqual([10, 10, 40, 15])
})

test('Escape leaves the draft, then the selection, then the tool', () => {
  const { editor } = editorOf()
  const hand = handAt(editor)
  editor.useTool('box')
  hand.drag([10, 10], [50, 50])
  hand.click(100, 100)
  expect(editor.snapshot().draft).not.toBeNull()
  expect([editor.escape(), editor.snapshot().draft]).toEqual([true, null])
  expect([editor.escape(), editor.selectedShape()]).toEqual([true, null])
  expect([editor.escape(), editor.snapshot().tool]).toEqual([true, 'select'])
  expect(editor.escape()).toBe(false)
})

test('dragging where nothing is moves the image, and changes no shape', () => {
  const { editor } = editorOf(suggested)
  const before = editor.snapshot()
  handAt(editor).drag([390, 290], [350, 250])
  expect(editor.snapshot().shapes).toBe(before.shapes)
  expect(editor.snapshot().view).not.toEqual(before.view)
})

/** Anything a person may do, in any order. */
function doAnything(editor: Editor, random: () => number): void {
  const hand = handAt(editor)
  const any = (): [number, number] => [random() * 480 - 40, random() * 380 - 40]
  const acts: (() => unknown)[] = [
    () => editor.useTool('box'),
    () => editor.useTool('extreme'),
    () => editor.useTool('polygon'),
    () => editor.useTool('select'),
    () => hand.drag(any(), any()),
    () => hand.drag(any(), any()),
    () => hand.click(...any()),
    () => hand.click(...any(), { alt: true }),
    () => editor.enter(),
    () => editor.nudge({ x: Math.round(random() * 40 - 20), y: Math.round(random() * 40 - 20) }, random() < 0.5),
    () => hand.drag(any(), any(), { adds: true }),
    () => hand.click(...any(), { adds: true }),
    () => hand.pinch(any(), any(), any(), any()),
    () => hand.drag(any(), any(), { finger: true }),
    () => hand.click(...any(), { finger: true }),
    () => hand.hold(...any()),
    () => editor.selectAll(),
    () => editor.selectSeveral(random() < 0.3),
    () => editor.cycle(-1, true),
    () => editor.hideSelected(),
    () => editor.choose('gear'),
    () => editor.accept(),
    () => editor.remove(),
    () => editor.backspace(),
    () => editor.cycle(1),
    () => editor.duplicate(),
    () => editor.copy(),
    () => editor.paste(),
    () => editor.escape(),
    () => editor.viewport.zoom(0.5 + random() * 2),
    () => editor.toggleZoom(),
    () => editor.acceptFrom(0.9),
  ]
  acts[Math.floor(random() * acts.length)]?.()
}

test.each(seeds(60))('whatever is done, undoing all and redoing all are exact, and no shape leaves the image (seed %i)', (seed) => {
  const random = seeded(seed)
  const { editor } = editorOf(suggested)
  const first = editor.snapshot().shapes
  for (let step = 0; step < 120; step += 1) {
    doAnything(editor, random)
    for (const shape of editor.snapshot().shapes) {
      const [x1, y1, x2, y2] = extent(shape)
      expect(x1 >= 0 && y1 >= 0 && x2 <= size.width && y2 <= size.height && x2 - x1 >= 1 && y2 - y1 >= 1 && area(shape) >= 0.5).toBe(true)
    }
  }
  editor.escape()
  const last = editor.snapshot().shapes
  const ids = last.map((shape) => shape.id)
  expect(new Set(ids).size).toBe(ids.length)
  while (editor.canUndo) editor.undo()
  expect(editor.snapshot().shapes).toBe(first)
  while (editor.canRedo) editor.redo()
  expect(editor.snapshot().shapes).toBe(last)
})

test('finding what is under the pointer among 5,000 shapes takes no time', () => {
  const random = seeded(7)
  const boxes = Array.from({ length: 5_000 }, () => {
    const [x, y] = [random() * 3_900, random() * 2_900]
    return { class: 'nut', box: [x, y, x + 20 + random() * 60, y + 20 + random() * 60] }
  })
  const large = { width: 4_000, height: 3_000 }
  const editor = new Editor(large, ofLabel({ boxes }, large), newPreferences('nut'))
  const index = editor.index()
  const near = Array.from({ length: 200 }, () => index.near({ x: random() * 4_000, y: random() * 3_000 }, 8).length)
  expect(Math.max(...near)).toBeLessThan(120) // of 5,000
})

test('moving, resizing and renaming leave an object what it carries; a copy has its attributes alone; undo brings it back', () => {
  const carried = { attributes: { truncated: 0.5 }, id: '7', track: 't' }
  const editor = new Editor(size, ofLabel({ boxes: [{ class: 'nut', box: [10, 10, 60, 60], ...carried }] }, size), newPreferences('bolt'))
  const label = () => toLabel(editor.snapshot().shapes)
  editor.select(1)
  editor.nudge({ x: 5, y: 0 }, false)
  editor.nudge({ x: 5, y: 5 }, true)
  editor.choose('gear')
  expect(label()).toEqual({ boxes: [{ class: 'gear', box: [15, 10, 70, 65], ...carried }] })
  editor.duplicate()
  expect(label().boxes[1]).toEqual({ class: 'gear', box: [25, 20, 80, 75], attributes: carried.attributes })
  editor.undo()
  editor.select(1)
  editor.remove()
  expect(label()).toEqual({ boxes: [] })
  editor.undo()
  expect(label().boxes).toEqual([{ class: 'gear', box: [15, 10, 70, 65], ...carried }])
})

test('while a shape is asked about the pointer changes nothing; while it is adjusted, only that shape', () => {
  const { editor } = editorOf(suggested)
  const hand = handAt(editor)
  const [nut, gear] = editor.snapshot().shapes
  if (!nut || !gear) throw new Error('two shapes are suggested')
  const inNut: [number, number] = [30, 10]
  editor.ask(gear)
  editor.viewport.fitAll()
  editor.allow('none')
  hand.drag([160, 150], [170, 160])
  hand.click(...inNut)
  expect(editor.snapshot()).toMatchObject({ selected: [gear.id], shapes: [nut, gear, {}] })
  editor.viewport.fitAll()
  editor.allow('selected')
  hand.drag(inNut, [40, 20])
  hand.drag([160, 150], [170, 160])
  expect(editor.snapshot().shapes.map(extent).slice(0, 2)).toEqual([[10, 10, 60, 60], [100, 100, 170, 160]])
})

test('a finger takes a handle from further away than the mouse does', () => {
  const { editor } = editorOf(suggested)
  const { drag } = handAt(editor)
  const away = 15 / editor.snapshot().view.scale
  const corner = () => editor.snapshot().shapes.find(({ class: name }) => name === 'gear')
  const grab = (finger: boolean) => {
    editor.viewport.fitAll()
    editor.select(2)
    drag([160 + away, 150 + away], [170 + away, 160 + away], { finger })
  }
  grab(false)
  expect(corner()).toMatchObject({ corners: [100, 100, 160, 150] })
  grab(true)
  expect(corner()).not.toMatchObject({ corners: [100, 100, 160, 150] })
})
