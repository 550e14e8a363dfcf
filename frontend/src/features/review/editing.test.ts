import { expect, test } from 'vitest'

import { bent, classed, drawn, type Editing, moved, parted, pulled, removed, settled, stepped } from './editing'

const empty: Editing = { shapes: { boxes: [] }, selected: null, brush: 'nut', draws: 'boxes', width: 100, height: 50 }
const one = drawn(empty, { x: 30, y: 20 }, { x: 10, y: 5 })

test('a box is drawn from any corner, has the class of the brush and is chosen', () => {
  expect(one.shapes.boxes).toEqual([{ class: 'nut', box: [10, 5, 30, 20] }])
  expect(one.selected).toBe(0)
})

test('a click chooses the smallest box around it, and none where there is none', () => {
  const nested = drawn(drawn(empty, { x: 0, y: 0 }, { x: 60, y: 40 }), { x: 10, y: 10 }, { x: 20, y: 20 })
  const at = (x: number, y: number) => drawn(nested, { x, y }, { x, y }).selected
  expect([at(15, 15), at(40, 30), at(90, 45)]).toEqual([1, 0, null])
})

test('a slip of the hand draws nothing, and nothing leaves the image', () => {
  expect(drawn(one, { x: 40, y: 40 }, { x: 41, y: 41 }).shapes.boxes).toHaveLength(1)
  expect(drawn(empty, { x: -20, y: 10 }, { x: 300, y: 90 }).shapes.boxes[0]?.box).toEqual([0, 10, 100, 50])
  expect(moved(one, -500, 7).shapes.boxes[0]?.box).toEqual([0, 12, 20, 27])
})

test('a corner that is pulled past the opposite one makes a proper box again', () => {
  const crossed = settled(pulled(one, { left: true, top: true }, { x: 60, y: 40 }))
  expect(crossed.shapes.boxes[0]?.box).toEqual([30, 20, 60, 40])
  expect(settled(pulled(one, { left: false, top: false }, { x: 10, y: 5 })).shapes.boxes[0]?.box).toEqual([10, 5, 12, 7])
})

test('a class goes to the chosen box and to the next one', () => {
  const bolts = drawn(classed(one, 'bolt'), { x: 50, y: 10 }, { x: 70, y: 30 })
  expect(bolts.shapes.boxes.map(({ class: name }) => name)).toEqual(['bolt', 'bolt'])
})

test('stepping goes round, and removing chooses a neighbour', () => {
  const two = drawn(one, { x: 50, y: 10 }, { x: 70, y: 30 })
  expect([stepped(two, 1).selected, stepped(two, -1).selected]).toEqual([0, 0])
  expect(stepped(empty, 1).selected).toBeNull()
  expect(removed(two)).toMatchObject({ selected: 0, shapes: { boxes: one.shapes.boxes } })
  expect(removed(removed(two)).selected).toBeNull()
})

test('polygons are kept while boxes are corrected', () => {
  const polygons = [{ class: 'nut', points: [[0, 0], [4, 0], [4, 4]] as [number, number][] }]
  expect(removed({ ...one, shapes: { ...one.shapes, polygons } }).shapes).toEqual({ boxes: [], polygons })
})

test('in a queue of polygons four points are drawn, and points are moved, added and taken away', () => {
  const drew = drawn({ ...empty, draws: 'polygons' }, { x: 10, y: 10 }, { x: 30, y: 20 })
  const pointsOf = (editing: Editing) => editing.shapes.polygons?.[0]?.points
  expect(drew).toMatchObject({ selected: 0, shapes: { boxes: [], polygons: [{ class: 'nut', points: [[10, 10], [30, 10], [30, 20], [10, 20]] }] } })
  const more = bent(parted(drew, 0, { x: 20, y: 10 }), 1, { x: 20, y: -3 })
  expect(pointsOf(settled(more))).toEqual([[10, 10], [20, 0], [30, 10], [30, 20], [10, 20]])
  expect(pointsOf(settled(bent(more, 1, { x: 10.5, y: 10 })))).toEqual([[10, 10], [30, 10], [30, 20], [10, 20]])
  expect(pointsOf(moved(drew, 500, 5))).toEqual([[80, 15], [100, 15], [100, 25], [80, 25]])
  expect(classed(drew, 'bolt').shapes.polygons?.[0]?.class).toBe('bolt')
  expect(removed(drew)).toMatchObject({ selected: null, shapes: { boxes: [], polygons: [] } })
})

test('boxes and polygons are chosen in one row', () => {
  const both = { ...one, shapes: { ...one.shapes, polygons: [{ class: 'nut', points: [[50, 10], [70, 10], [60, 30]] as [number, number][] }] } }
  expect([stepped(both, 1).selected, drawn(both, { x: 60, y: 15 }, { x: 60, y: 15 }).selected]).toEqual([1, 1])
  expect(drawn(both, { x: 80, y: 30 }, { x: 95, y: 45 }).selected).toBe(1)
})
