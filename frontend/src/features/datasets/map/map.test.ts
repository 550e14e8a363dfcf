import { expect, test } from 'vitest'

import { groupsOf, none, readPoints } from './points'
import { markOf } from './marks'
import { pixelOf, rasterise, rasteriseMark, stamp } from './raster'
import { fitted, inside, nearest, panned, rectangle, zoomed } from './view'

/** Three points as the server packs them. */
function packed(): ArrayBuffer {
  const columns = [
    { name: 'xy', width: 2, offset: 0 },
    { name: 'sample', width: 1, offset: 24 },
    { name: 'class', width: 1, offset: 36 },
    { name: 'split', width: 1, offset: 42 },
  ]
  const document = JSON.stringify({ count: 3, classes: ['cat', 'dog'], splits: ['pool', 'train'], columns })
  const line = `${document}${' '.repeat((8 - ((document.length + 1) % 8)) % 8)}\n`
  const buffer = new ArrayBuffer(line.length + 45)
  new Uint8Array(buffer).set(new TextEncoder().encode(line))
  new Float32Array(buffer, line.length, 6).set([0, 0, 10, 0, 0, 20])
  new Uint32Array(buffer, line.length + 24, 3).set([7, 8, 70_000])
  new Uint16Array(buffer, line.length + 36, 3).set([1, none, 0])
  new Uint8Array(buffer, line.length + 42, 3).set([0, 0, 1])
  return buffer
}

test('points are read as the server packs them', () => {
  const points = readPoints(packed())
  expect([...points.sample]).toEqual([7, 8, 70_000])
  expect([...points.xy]).toEqual([0, 0, 10, 0, 0, 20])
  expect(points.predicted).toBeNull()
  expect(groupsOf(points, 'label')).toEqual([
    { name: 'cat', count: 1 },
    { name: 'dog', count: 1 },
    { name: 'no class', count: 1 },
  ])
  expect(groupsOf(points, 'split')).toEqual([
    { name: 'pool', count: 2 },
    { name: 'train', count: 1 },
  ])
})

test('what is no map is told', () => {
  expect(() => readPoints(new ArrayBuffer(8))).toThrow('without their header')
})

const size = { width: 200, height: 100 }

test('the whole map fits, and what is under the pointer stays there while zooming', () => {
  const { xy } = readPoints(packed())
  const view = fitted(xy, size)
  const on = (x: number, y: number) => [x * view.scale + view.x, y * view.scale + view.y]
  for (const [x, y] of [[0, 0], [10, 0], [0, 20]] as const) {
    const [left = 0, top = 0] = on(x, y)
    expect(left >= 0 && left <= 200 && top >= 0 && top <= 100).toBe(true)
  }
  const closer = zoomed(view, 2, [50, 30], view)
  const before = [(50 - view.x) / view.scale, (30 - view.y) / view.scale]
  expect((50 - closer.x) / closer.scale).toBeCloseTo(before[0] ?? 0)
  expect((30 - closer.y) / closer.scale).toBeCloseTo(before[1] ?? 0)
  expect(zoomed(view, 1e-9, [0, 0], view).scale).toBeCloseTo(view.scale / 2)
  expect(panned(view, 3, -4)).toEqual({ ...view, x: view.x + 3, y: view.y - 4 })
})

test('a line around points selects them, however it is drawn', () => {
  const { xy } = readPoints(packed())
  const view = { scale: 2, x: 10, y: 10 }
  expect([...inside(xy, view, rectangle([40, 20], [0, 0]))]).toEqual([1, 1, 0])
  const lasso = [[5, 5], [12, 5], [12, 55], [5, 55]] as const
  expect([...inside(xy, view, lasso)]).toEqual([1, 0, 1])
  expect(nearest(xy, view, [29, 11])).toBe(1)
  expect(nearest(xy, view, [100, 90])).toBeNull()
})

const unclassed = { colour: pixelOf('#626c7a'), form: 0, stripe: null }

test('points become pixels, selected ones in their colour and over the others', () => {
  const pixels = new Uint32Array(200 * 100)
  const { xy } = readPoints(packed())
  const [ground, faint, red] = [pixelOf('#fff'), pixelOf('rgb(200, 200, 200)'), pixelOf('#ff0000')]
  const picture = { xy, groups: Uint16Array.from([0, 0, 0]), marks: [{ colour: red, form: 0, stripe: null }, unclassed], selected: Uint8Array.from([0, 1, 0]), faint, ground, radius: 2 }
  rasterise(pixels, size, { scale: 2, x: 10, y: 10 }, picture)
  expect(pixels[10 * 200 + 30]).toBe(red)
  expect(pixels[10 * 200 + 10]).toBe(faint)
  expect(pixels[0]).toBe(ground)
  expect(red).toBe(0xff0000ff)
})

test('what has no class lies faint below what has one, also where it comes later', () => {
  const pixels = new Uint32Array(200 * 100)
  const [ground, faint, red] = [pixelOf('#fff'), pixelOf('#c6cdd6'), pixelOf('#ff0000')]
  const xy = Float32Array.from([10, 10, 10, 10, 40, 10])
  const picture = { xy, groups: Uint16Array.from([0, 1, 1]), marks: [{ colour: red, form: 0, stripe: null }, unclassed], selected: null, faint, ground, radius: 3 }
  rasterise(pixels, size, { scale: 1, x: 10, y: 10 }, picture)
  expect(pixels[20 * 200 + 20]).toBe(red)
  expect(pixels[20 * 200 + 50]).toBe(faint)
  expect(pixels).not.toContain(unclassed.colour)
})

test('no two of 24 classes look alike on the map, and the legend shows them as the map does', () => {
  const classes = Array.from({ length: 24 }, (_, place) => `class ${place}`)
  const side = 15
  const drawnOn = (name: string) => {
    const pixels = new Uint32Array(side * side)
    const marks = [markOf(classes, name), unclassed]
    const picture = { xy: Float32Array.from([0, 0]), groups: Uint16Array.from([0]), marks, selected: null, faint: 0, ground: 0, radius: 6 }
    rasterise(pixels, { width: side, height: side }, { scale: 1, x: 7, y: 7 }, picture)
    return pixels
  }
  expect(new Set(classes.map((name) => drawnOn(name).join())).size).toBe(24)
  for (const name of classes) {
    const legend = new Uint32Array(side * side)
    rasteriseMark(legend, side, markOf(classes, name))
    expect(legend).toEqual(drawnOn(name))
  }
  expect(new Set(markOf(classes, 'class 9').stripe === null ? [] : drawnOn('class 9'))).toContain(pixelOf('#ffffff'))
})

test('forms differ, so that a shared colour is not the only cue', () => {
  expect(new Set([0, 1, 2].map((form) => stamp(form, 3, 50).fill.length)).size).toBe(3)
})
