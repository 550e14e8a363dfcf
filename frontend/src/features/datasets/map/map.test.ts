import { expect, test } from 'vitest'

import { fewLoud, inksOf, quiet } from './inks'
import { markOf } from './marks'
import type { Picture } from './picture'
import { countsOf, groupsOf, none, placesOf, readPoints } from './points'
import { pixelOf, rasterise, rasteriseMark, stamp } from './raster'
import { countIn, hiddenShare, indexed } from './spatial-index'
import { levelsOf } from './squares'
import { isStill } from './use-map-pointer'
import { fitted, inside, type MapPoint, type MapView, nearest, nearestOfAll, panned, pinched, rectangle, zoomed } from './view'

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
  expect(groupsOf(points, 'label', false)).toEqual([
    { name: 'cat', count: 1 },
    { name: 'dog', count: 1 },
    { name: 'no class', count: 1 },
  ])
  expect(groupsOf(points, 'label', true).at(-1)).toEqual({ name: 'no class, or several', count: 1 })
  expect(groupsOf(points, 'split', false)).toEqual([
    { name: 'pool', count: 2 },
    { name: 'train', count: 1 },
  ])
})

test('groups are counted, and what of them is selected', () => {
  const places = placesOf(readPoints(packed()), 'label')
  expect([...places]).toEqual([1, 2, 0])
  expect([...countsOf(places, 3, Uint8Array.from([1, 0, 1]))]).toEqual([1, 1, 0])
})

test('what is no map is told', () => {
  expect(() => readPoints(new ArrayBuffer(8))).toThrow('without their header')
})

const size = { width: 200, height: 100 }

/** Numbers from 0 to 1 that are the same in each run. */
function numbers(count: number): Float32Array {
  let seed = 7
  return Float32Array.from({ length: count }, () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647)
}

test('the whole map fits, and what is under the pointer stays there while zooming', () => {
  const { bounds } = indexed(readPoints(packed()).xy)
  const view = fitted(bounds, size)
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

test('what two fingers hold stays under them', () => {
  const view = { scale: 2, x: 10, y: 10 }
  const [from, to] = [[[20, 30], [60, 30]], [[10, 50], [90, 50]]] as const
  const after = pinched(view, from, to, view)
  expect(after.scale).toBe(4)
  for (const finger of [0, 1] as const) {
    expect((to[finger][0] - after.x) / after.scale).toBeCloseTo((from[finger][0] - view.x) / view.scale)
    expect((to[finger][1] - after.y) / after.scale).toBeCloseTo((from[finger][1] - view.y) / view.scale)
  }
})

test('a finger may shake more than a mouse and still tap', () => {
  const line: MapPoint[] = [[10, 10], [16, 10]]
  expect(isStill({ line, finger: true })).toBe(true)
  expect(isStill({ line, finger: false })).toBe(false)
})

test('a line around points selects them, however it is drawn', () => {
  const index = indexed(readPoints(packed()).xy)
  const view = { scale: 2, x: 10, y: 10 }
  expect([...inside(index, view, rectangle([40, 20], [0, 0]))]).toEqual([1, 1, 0])
  const lasso = [[5, 5], [12, 5], [12, 55], [5, 55]] as const
  expect([...inside(index, view, lasso)]).toEqual([1, 0, 1])
  expect(nearest(index, view, [29, 11], 8)).toBe(1)
  expect(nearest(index, view, [100, 90], 8)).toBeNull()
  expect(nearestOfAll(index, view, [1_000, 90])).toBe(1)
})

test('of many points the index finds the same as a look at each of them', () => {
  const xy = numbers(20_000)
  const index = indexed(xy)
  const view: MapView = { scale: 500, x: -20, y: 35 }
  const place = (point: number): MapPoint => [(xy[2 * point] ?? 0) * 500 - 20, (xy[2 * point + 1] ?? 0) * 500 + 35]
  const all = Array.from({ length: 10_000 }, (_, point) => point)
  for (const [x, y] of [[100, 100], [480, 535], [-20, 35], [333, 77]] as const) {
    const far = all.map((point) => Math.hypot(place(point)[0] - x, place(point)[1] - y))
    const least = Math.min(...far)
    expect(far[nearest(index, view, [x, y], 8) ?? -1] ?? Infinity).toBeCloseTo(least <= 8 ? least : Infinity)
    expect(far[nearestOfAll(index, view, [x, y]) ?? -1]).toBeCloseTo(least)
  }
  const inBox = (point: number) => place(point)[0] > 50 && place(point)[0] < 260 && place(point)[1] > 90 && place(point)[1] < 111
  expect([...inside(index, view, rectangle([50, 90], [260, 111]))]).toEqual(all.map((point) => Number(inBox(point))))
  const ring = Array.from({ length: 300 }, (_, at): MapPoint => [200 + 90 * Math.cos(at / 47.75), 200 + 90 * Math.sin(at / 47.75)])
  const found = inside(index, view, ring)
  for (const point of all) {
    const away = Math.hypot(place(point)[0] - 200, place(point)[1] - 200)
    if (Math.abs(away - 90) > 0.5) expect(found[point] === 1, `${point}`).toBe(away < 90)
  }
  expect(countIn(index, index.bounds)).toBe(10_000)
  expect(countIn(index, { left: 2, top: 2, right: 3, bottom: 3 })).toBe(0)
})

test('one point, none, and many in one place have an index too', () => {
  for (const xy of [[], [3, 4], [3, 4, 3, 4, 3, 4]]) {
    const index = indexed(Float32Array.from(xy))
    expect(index.order.length).toBe(xy.length / 2)
    expect(nearestOfAll(index, fitted(index.bounds, size), [0, 0])).toBe(xy.length > 0 ? index.order.at(-1) : null)
  }
})

const unclassed = { colour: pixelOf('#626c7a'), form: 0, stripe: null }
const [ground, faint, red, blue] = [pixelOf('#fff'), pixelOf('rgb(200, 200, 200)'), pixelOf('#ff0000'), pixelOf('#0000ff')]
const marks = [{ colour: red, form: 0, stripe: null }, { colour: blue, form: 0, stripe: null }, unclassed]

/** Points with their groups, as `rasterise` takes them. */
function pictureOf(xy: Float32Array, groups: number[], given: Partial<Picture> & { selected?: Uint8Array } = {}): Picture {
  const index = indexed(xy)
  const kinds = given.marks ?? marks
  const inks = inksOf(index, Uint16Array.from(groups), kinds.length - 1, given.selected ?? null)
  return { index, inks, few: fewLoud(inks, 10), levels: levelsOf(index, inks), marks: kinds, faint, ground, drawn: 'auto', ratio: 1, ...given }
}

/** The picture's pixels. */
function drawnOf(picture: Picture, view: MapView, { width, height } = size): Uint32Array {
  const pixels = new Uint32Array(width * height)
  rasterise(pixels, { width, height }, view, picture, null)
  return pixels
}

test('points become pixels, selected ones in their colour and over the others', () => {
  const { xy } = readPoints(packed())
  const pixels = drawnOf(pictureOf(xy, [0, 0, 0], { selected: Uint8Array.from([0, 1, 0]) }), { scale: 2, x: 10, y: 10 })
  expect(pixels[10 * 200 + 30]).toBe(red)
  expect(pixels[10 * 200 + 10]).toBe(faint)
  expect(pixels[0]).toBe(ground)
  expect(red).toBe(0xff0000ff)
})

test.each(['points', 'density'] as const)('what has no class lies faint below what has one, also where it comes later: %s', (drawn) => {
  const xy = Float32Array.from([10, 10, 10, 10, 40, 10])
  const pixels = drawnOf(pictureOf(xy, [0, 2, 2], { drawn, few: null }), { scale: 1, x: 10, y: 10 })
  const [over, alone] = [pixels[20 * 200 + 20] ?? 0, pixels[20 * 200 + 50] ?? 0]
  expect(over & 255).toBe(255) // red, whole or lighter
  expect((over >>> 8) & 255).toBeLessThan(150)
  expect([alone & 255, (alone >>> 8) & 255]).toSatisfy(([r, g]) => r === g && r >= 200 && r < 255)
})

test('a density is stronger where more points lie, in the colour of the class that leads there', () => {
  const xy = Float32Array.from([...Array<number>(40).fill(10), 60, 10])
  const groups = [...Array<number>(12).fill(1), ...Array<number>(8).fill(0), 0]
  const pixels = drawnOf(pictureOf(xy, groups, { drawn: 'density', few: null }), { scale: 1, x: 10, y: 10 })
  expect(pixels[20 * 200 + 20]).toBe(blue)
  const lone = pixels[20 * 200 + 70] ?? 0
  expect(lone).not.toBe(ground)
  expect((lone >>> 16) & 255, 'lighter than red').toBeGreaterThan(0)
})

test('many points are counted once for all views, and show as those that are counted in each', () => {
  const xy = numbers(240_000)
  const groups = Array.from({ length: 120_000 }, (_, point) => ((xy[2 * point] ?? 0) < 0.5 ? 0 : (xy[2 * point + 1] ?? 0) < 0.5 ? 1 : 2))
  const picture = pictureOf(xy, groups)
  const [first] = picture.levels
  for (const level of picture.levels) {
    expect(level.counts.reduce((sum, points) => sum + points, 0)).toBe(groups.filter((group) => group < 2).length)
    expect(level.quietCounts.reduce((sum, points) => sum + points, 0)).toBe(groups.filter((group) => group === 2).length)
  }
  expect(first?.columns).toBe(512)
  const view = fitted(picture.index.bounds, size)
  for (const levels of [picture.levels, []]) {
    const pixels = drawnOf({ ...picture, levels }, view)
    const at = (x: number, y: number) => pixels[Math.round(y * view.scale + view.y) * 200 + Math.round(x * view.scale + view.x)] ?? 0
    const isMostly = (pixel: number, shift: number) => [0, 8, 16].every((other) => other === shift || ((pixel >>> shift) & 255) > ((pixel >>> other) & 255))
    expect(isMostly(at(0.25, 0.5), 0), 'red on the left').toBe(true)
    expect(isMostly(at(0.75, 0.25), 16), 'blue on the right, above').toBe(true)
    expect((at(0.75, 0.75) >>> 8) & 255, 'grey below').toBe(at(0.75, 0.75) & 255)
    expect(at(0.75, 0.75)).not.toBe(ground)
    expect(pixels[0]).toBe(ground)
  }
})

test('few selected points among many are drawn for themselves', () => {
  const xy = numbers(120_000)
  const selected = new Uint8Array(60_000)
  selected[17] = 1
  const picture = pictureOf(xy, Array<number>(60_000).fill(0), { selected })
  const view = fitted(picture.index.bounds, size)
  const pixels = drawnOf(picture, view)
  const [x, y] = [Math.round((xy[34] ?? 0) * view.scale + view.x), Math.round((xy[35] ?? 0) * view.scale + view.y)]
  expect([pixels[y * 200 + x - 2], pixels[y * 200 + x + 2]]).toEqual([red, red])
  expect(picture.inks.filter((ink) => ink < quiet).length).toBe(1)
})

test('marks hide each other when they are large for where points lie, not when the map is moved', () => {
  const index = indexed(numbers(20_000))
  expect(hiddenShare(index, 1 / 4)).toBeGreaterThan(0.99)
  expect(hiddenShare(index, 1 / 400)).toBeLessThan(0.1)
  expect(hiddenShare(index, 1e-5)).toBe(0)
})

/** A class's mark alone, as the map draws it and as the legend does. */
function alone(classes: string[], name: string): { map: Uint32Array; legend: Uint32Array } {
  const side = 13
  const kinds = [markOf(classes, name), unclassed]
  const map = drawnOf(pictureOf(Float32Array.from([0, 0]), [0], { marks: kinds, ground: 0, faint: 0, ratio: 1.25 }), { scale: 1, x: 6, y: 6 }, { width: side, height: side })
  const legend = new Uint32Array(side * side)
  rasteriseMark(legend, side, markOf(classes, name))
  return { map, legend }
}

test('no two of 24 classes look alike on the map, and the legend shows them as the map does', () => {
  const classes = Array.from({ length: 24 }, (_, place) => `class ${place}`)
  expect(new Set(classes.map((name) => alone(classes, name).map.join())).size).toBe(24)
  for (const name of classes) expect(alone(classes, name).legend).toEqual(alone(classes, name).map)
  expect(new Set(alone(classes, 'class 9').map)).toContain(pixelOf('#ffffff'))
})

test('also in a density no two of 24 classes look alike: those that share a colour have patterns', () => {
  const classes = Array.from({ length: 24 }, (_, place) => `class ${place}`)
  const xy = numbers(400).map((value) => value * 60)
  const looks = classes.map((name) => {
    const picture = pictureOf(xy, Array<number>(200).fill(0), { marks: [markOf(classes, name), unclassed], drawn: 'density', few: null })
    return drawnOf(picture, { scale: 1, x: 10, y: 10 }).join()
  })
  expect(new Set(looks).size).toBe(24)
})

test('forms differ, so that a shared colour is not the only cue', () => {
  expect(new Set([0, 1, 2].map((form) => stamp(form, 3, 50).fill.length)).size).toBe(3)
})
