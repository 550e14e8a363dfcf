import { expect, test } from 'vitest'

import { Editor } from './editor'
import { newPreferences } from './editor-preferences'
import { handAt } from './input/hand'
import { ofLabel, ofSuggestion, toLabel } from './label'
import { seeded, seeds } from './seeded'
import { extentOf, type Shape } from './shapes'

const size = { width: 400, height: 300 }
const labelled = {
  boxes: [
    { class: 'roof', box: [0, 0, 400, 300] },
    { class: 'nut', box: [20, 20, 60, 60] },
    { class: 'gear', box: [100, 20, 160, 80], id: '7', attributes: { truncated: 0.5 } },
    { class: 'nut', box: [200, 200, 260, 260] },
  ],
  polygons: [{ class: 'bolt', points: [[300, 20], [360, 20], [330, 90]] }],
}
const suggested = {
  boxes: [
    { class: 'nut', box: [20, 20, 60, 60], score: 0.9 },
    { class: 'nut', box: [100, 20, 160, 80], score: 0.7 },
    { class: 'gear', box: [200, 20, 260, 80], score: 0.4 },
    { class: 'gear', box: [300, 20, 360, 80], score: 0.3 },
  ],
}

function editorOf(shapes: Shape[] = ofLabel(labelled, size)) {
  const preferences = newPreferences('bolt')
  const editor = new Editor(size, shapes, preferences)
  return { editor, preferences, hand: handAt(editor), label: () => toLabel(editor.snapshot().shapes), selected: () => editor.snapshot().selected }
}

const suggestions = () => editorOf(ofSuggestion(suggested, size))

test('Shift with a click adds a shape and takes it away; a click without selects that one alone', () => {
  const { hand, selected } = editorOf()
  hand.click(20, 40)
  hand.click(130, 20, { adds: true })
  hand.click(330, 20, { adds: true })
  expect(selected()).toEqual([2, 3, 5])
  hand.click(20, 40, { adds: true })
  expect(selected()).toEqual([3, 5])
  hand.click(130, 20)
  expect(selected()).toEqual([3])
})

test('the marquee adds what its rectangle touches or contains, not what it lies inside of', () => {
  const { editor, hand, selected } = editorOf()
  hand.click(230, 200)
  hand.drag([40, 10], [310, 70], { adds: true }) // a part of the nut and of the polygon, all of the gear; the roof is around it
  expect(selected()).toEqual([4, 2, 3, 5])
  expect(editor.snapshot().marquee).toBeNull()
  hand.drag([380, 280], [390, 290], { adds: true })
  expect(selected()).toEqual([4, 2, 3, 5])
  hand.drag([390, 290], [410, 310], { adds: true })
  expect(selected()).toContain(1)
})

test('the rectangle of a marquee is found from any corner, over a polygon by its sides', () => {
  const { editor, hand, selected } = editorOf()
  hand.drag([375, 85], [340, 60], { adds: true }) // only a slanted side passes through it
  expect(selected()).toEqual([5])
  editor.select(null)
  hand.drag([375, 85], [352, 60], { adds: true }) // in the polygon's extent, beside the polygon
  expect(selected()).toEqual([])
})

test('all are selected at once, also out of a drawing tool; what is hidden is not', () => {
  const { editor, selected } = editorOf()
  editor.select(1)
  editor.hideSelected()
  editor.useTool('box')
  editor.selectAll()
  expect(editor.snapshot().tool).toBe('select')
  expect(selected()).toEqual([2, 3, 4, 5])
})

test('several are dragged together, only as far as none leaves the image, in one step', () => {
  const { editor, hand, label } = editorOf()
  const before = label()
  editor.selectMany([2, 3, 5])
  hand.drag([40, 20], [-60, 70])
  expect(label()).toEqual({
    boxes: [before.boxes[0], { class: 'nut', box: [0, 70, 40, 110] }, { ...before.boxes[2], box: [80, 70, 140, 130] }, before.boxes[3]],
    polygons: [{ class: 'bolt', points: [[280, 70], [340, 70], [310, 140]] }],
  })
  expect(editor.snapshot().selected).toEqual([2, 3, 5])
  editor.undo()
  expect(label()).toEqual(before)
  expect(editor.canUndo).toBe(false)
})

test('arrows move and stretch several, a held key in one step', () => {
  const { editor, label } = editorOf()
  const before = label()
  editor.selectMany([2, 4])
  for (let step = 0; step < 30; step += 1) editor.nudge({ x: 0, y: 10 }, false)
  editor.endGesture()
  expect(label().boxes.map(({ box }) => box)).toEqual([[0, 0, 400, 300], [20, 60, 60, 100], [100, 20, 160, 80], [200, 240, 260, 300]])
  editor.nudge({ x: 5, y: 5 }, true)
  expect(label().boxes[1]?.box).toEqual([20, 60, 65, 105])
  expect(label().boxes[3]?.box).toEqual([200, 240, 265, 300])
  editor.undo()
  editor.undo()
  expect(label()).toEqual(before)
})

test('class, copies, hiding and deleting act on all that are selected, each in one step', () => {
  const { editor, label, selected } = editorOf()
  const before = label()
  editor.selectMany([2, 3])
  editor.choose('screw')
  expect(label().boxes.map((box) => box.class)).toEqual(['roof', 'screw', 'screw', 'nut'])
  expect(label().boxes[2]).toMatchObject({ id: '7', attributes: { truncated: 0.5 } })
  editor.duplicate()
  expect(label().boxes.slice(4)).toEqual([
    { class: 'screw', box: [30, 30, 70, 70] },
    { class: 'screw', box: [110, 30, 170, 90], attributes: { truncated: 0.5 } },
  ])
  expect(selected()).toEqual([6, 7])
  editor.remove()
  editor.undo()
  editor.undo()
  editor.undo()
  expect([label(), editor.canUndo]).toEqual([before, false])
  editor.selectMany([2, 3])
  editor.hideSelected()
  expect(editor.snapshot()).toMatchObject({ hiddenShapes: [2, 3], selected: [] })
  expect(label()).toEqual(before) // hidden is not gone
  expect(editor.canUndo).toBe(false)
  editor.hideSelected()
  expect(editor.snapshot().hiddenShapes).toEqual([])
})

test('a hidden shape is not hit, J passes it by, and selecting it shows it', () => {
  const { editor, hand, selected } = editorOf()
  editor.selectMany([2])
  editor.hideSelected()
  hand.click(40, 40)
  expect(selected()).toEqual([1])
  editor.cycle(1)
  expect(selected()).toEqual([3])
  const nut = editor.snapshot().shapes[1]
  editor.show(nut)
  expect(editor.snapshot()).toMatchObject({ hiddenShapes: [], selected: [2] })
})

test('several are copied and pasted together on the next image, where they fit', () => {
  const { editor, preferences } = editorOf()
  editor.selectMany([2, 4])
  editor.copy()
  const next = new Editor({ width: 200, height: 300 }, [], preferences)
  next.paste()
  expect(toLabel(next.snapshot().shapes).boxes.map(({ box }) => box)).toEqual([[0, 30, 40, 70], [180, 210, 200, 270]])
  expect(next.snapshot().selected).toEqual([1, 2])
})

test('several are accepted at once only from the queue’s least score on; the others stay selected, with the reason', () => {
  const { editor, label, selected } = suggestions()
  editor.selectAll()
  editor.accept(0.5)
  expect(label().boxes).toHaveLength(2)
  expect(selected()).toEqual([3, 4])
  expect(editor.snapshot().refusal).toContain('2 suggestions score below 0.50')
  editor.select(3)
  expect(editor.snapshot().refusal).toBeNull()
  editor.accept(0.5) // one alone was looked at
  expect(label().boxes).toHaveLength(3)
  editor.undo()
  editor.undo()
  expect(label().boxes).toHaveLength(0)
  editor.selectAll()
  editor.accept()
  expect(label().boxes).toHaveLength(4)
})

test('Shift with J and K adds the next and the previous, least certain first', () => {
  const { editor, selected } = suggestions()
  expect(selected()).toEqual([4])
  editor.cycle(1, true)
  editor.cycle(1, true)
  expect(selected()).toEqual([4, 3, 2])
  editor.cycle(-1)
  expect(selected()).toEqual([3])
})

test('a finger that rests on a shape adds it, and so do the taps after it, until Escape', () => {
  const { editor, hand, selected } = editorOf()
  hand.click(20, 40, { finger: true })
  hand.hold(130, 20)
  expect(editor.snapshot()).toMatchObject({ selected: [2, 3], several: true })
  hand.click(330, 20, { finger: true })
  hand.click(20, 40, { finger: true })
  expect(selected()).toEqual([3, 5])
  hand.drag([130, 20], [140, 30], { finger: true }) // what is selected is dragged; elsewhere a drag draws the marquee
  hand.drag([300, 280], [190, 190], { finger: true })
  expect(selected()).toEqual([3, 5, 4])
  expect(toLabel(editor.snapshot().shapes).boxes[2]?.box).toEqual([110, 30, 170, 90])
  editor.escape()
  expect(editor.snapshot()).toMatchObject({ selected: [], several: true })
  editor.escape()
  expect(editor.snapshot().several).toBe(false)
})

test('two fingers zoom and move the image: what was under them stays there, and nothing is drawn or selected', () => {
  const { editor, hand } = editorOf([])
  for (const tool of ['select', 'box', 'extreme', 'polygon'] as const) {
    editor.useTool(tool)
    editor.viewport.fitAll()
    const { scale } = editor.snapshot().view
    hand.pinch([150, 150], [250, 150], [100, 100], [300, 100])
    const { view, shapes, draft, selected } = editor.snapshot()
    expect(view.scale).toBeCloseTo(scale * 2)
    expect({ shapes, draft, selected }).toEqual({ shapes: [], draft: null, selected: [] })
  }
})

test('a second finger takes back what the first one began, and no more', () => {
  const { editor, hand, label } = editorOf()
  const before = label()
  hand.click(20, 40, { finger: true })
  hand.pinch([130, 20], [260, 230], [120, 10], [300, 270])
  expect(editor.snapshot()).toMatchObject({ selected: [2], live: null })
  editor.useTool('polygon')
  editor.viewport.fitAll()
  for (const [x, y] of [[200, 100], [260, 100]] as const) hand.click(x, y, { finger: true })
  hand.pinch([100, 100], [200, 200], [110, 110], [190, 190])
  expect(editor.snapshot().draft).toMatchObject({ points: [{ x: 200, y: 100 }, { x: 260, y: 100 }] })
  editor.escape()
  expect(label()).toEqual(before)
})

test('a finger draws a box by a drag, and sets the points of a polygon where it is lifted', () => {
  const { editor, hand, label } = editorOf([])
  editor.useTool('box')
  hand.drag([20, 20], [120, 90], { finger: true })
  editor.useTool('polygon')
  hand.drag([190, 190], [200, 100], { finger: true })
  hand.click(300, 100, { finger: true })
  hand.click(300, 200, { finger: true })
  hand.click(202, 102, { finger: true })
  expect(label()).toEqual({ boxes: [{ class: 'bolt', box: [20, 20, 120, 90] }], polygons: [{ class: 'bolt', points: [[200, 100], [300, 100], [300, 200]] }] })
})

test('while a shape is asked about, Shift and a resting finger select nothing else', () => {
  const { editor, hand, selected } = suggestions()
  for (const changes of ['none', 'selected'] as const) {
    editor.select(1)
    editor.allow(changes)
    hand.click(230, 20, { adds: true })
    hand.drag([90, 10], [270, 90], { adds: true })
    editor.viewport.fitAll()
    hand.hold(130, 20)
    expect([selected(), editor.snapshot().several]).toEqual([[1], false])
  }
})

/** Boxes and polygons anywhere, at quarters of a pixel, which sums keep exactly. */
function anyShapes(random: () => number): Shape[] {
  const quarter = (most: number) => Math.floor(random() * most * 4) / 4
  const boxes = Array.from({ length: 12 }, () => {
    const [x, y] = [quarter(340), quarter(240)]
    return { class: random() < 0.5 ? 'nut' : 'gear', box: [x, y, x + 1 + quarter(50), y + 1 + quarter(50)] }
  })
  const polygons = Array.from({ length: 4 }, () => {
    const [x, y] = [quarter(340), quarter(240)]
    return { class: 'bolt', points: [[x, y], [x + 20 + quarter(30), y], [x, y + 20 + quarter(30)]] }
  })
  return ofLabel({ boxes, polygons }, size)
}

test.each(seeds(100))('moving any of them and back leaves all as they were, and each undo gives back every label exactly (seed %i)', (seed) => {
  const random = seeded(seed)
  const { editor, label } = editorOf(anyShapes(random))
  const labels = [label()]
  editor.selectMany(editor.snapshot().shapes.filter(() => random() < 0.5).map(({ id }) => id))
  const chosen = editor.snapshot().selected
  if (chosen.length === 0) return
  for (let move = 0; move < 6; move += 1) {
    const from = extentOf(editor.selectedShapes())
    const idle = editor.snapshot().shapes.filter(({ id }) => !chosen.includes(id))
    editor.nudge({ x: Math.floor(random() * 900 - 450), y: Math.floor(random() * 900 - 450) }, false)
    const [x1, y1, x2, y2] = extentOf(editor.selectedShapes())
    expect(x1 >= 0 && y1 >= 0 && x2 <= size.width && y2 <= size.height).toBe(true)
    expect([x2 - x1, y2 - y1]).toEqual([from[2] - from[0], from[3] - from[1]]) // as they lie to each other
    expect(editor.snapshot().shapes.filter(({ id }) => !chosen.includes(id))).toEqual(idle)
    editor.endGesture()
    labels.push(label())
    editor.nudge({ x: from[0] - x1, y: from[1] - y1 }, false)
    editor.endGesture()
    labels.push(label())
    expect(label()).toEqual(labels[0])
  }
  for (const act of [() => editor.choose('screw'), () => editor.duplicate(), () => editor.remove()]) {
    act()
    labels.push(label())
  }
  for (const expected of labels.toReversed()) {
    expect(label()).toEqual(expected)
    if (editor.canUndo) editor.undo()
  }
  expect(editor.canUndo).toBe(false)
})
