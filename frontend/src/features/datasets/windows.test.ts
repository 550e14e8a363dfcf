import { expect, test } from 'vitest'

import { layout, mostTiles, moved, overscan, rowCount, windowsFor, gap } from './windows'

test.each([
  [980, 750, 96],
  [1_900, 1_300, 96],
  [3_400, 1_900, 96],
  [560, 700, 176],
])('a grid of %i x %i mounts no more than a hundred tiles', (width, height, wanted) => {
  const { columns, tile, rowHeight } = layout(width, height, wanted)
  expect(columns * (Math.ceil(height / rowHeight) + 1 + 2 * overscan)).toBeLessThanOrEqual(mostTiles)
  expect(columns * (tile + gap) - gap).toBeLessThanOrEqual(width)
  expect(tile).toBeGreaterThanOrEqual(wanted)
})

test('a range inside one window needs that window, a range across an edge needs both', () => {
  expect(windowsFor(10, 60, 70_000)).toEqual([0])
  expect(windowsFor(190, 210, 70_000)).toEqual([0, 200])
  expect(windowsFor(69_990, 70_100, 70_000)).toEqual([69_800])
})

test('before the total is known the first window is asked for', () => {
  expect(windowsFor(0, 50, 0)).toEqual([0])
})

test('the last row may be short', () => {
  expect(rowCount(70_000, 9)).toBe(7_778)
  expect(rowCount(0, 9)).toBe(0)
})

test('arrows stop at the ends and keep their column', () => {
  const grid = { total: 25, columns: 10 }
  expect(moved(0, 'ArrowLeft', grid)).toBe(0)
  expect(moved(3, 'ArrowUp', grid)).toBe(3)
  expect(moved(3, 'ArrowDown', grid)).toBe(13)
  expect(moved(17, 'ArrowDown', grid)).toBe(17)
  expect(moved(3, 'End', grid)).toBe(24)
  expect(moved(24, 'Home', grid)).toBe(0)
})
