import { expect, test } from 'vitest'

import { seeded, seeds } from './seeded'
import { bringIntoView, fit, panned, toImage, toScreen, type CanvasView, zoomAt, zoomTo } from './view'

const room = { width: 900, height: 640 }
const image = { width: 4_000, height: 3_000 }

function anyView(random: () => number): CanvasView {
  return { scale: 0.05 + random() * 30, x: (random() - 0.5) * 4_000, y: (random() - 0.5) * 4_000 }
}

test.each(seeds(50))('to the screen and back is the same point (seed %i)', (seed) => {
  const random = seeded(seed)
  const view = anyView(random)
  const point = { x: random() * 4_000, y: random() * 3_000 }
  const back = toImage(view, toScreen(view, point))
  expect(back.x).toBeCloseTo(point.x, 6)
  expect(back.y).toBeCloseTo(point.y, 6)
})

test.each(seeds(50))('zooming keeps the point under the cursor where it is (seed %i)', (seed) => {
  const random = seeded(seed)
  const view = anyView(random)
  const at = { x: random() * room.width, y: random() * room.height }
  const before = toImage(view, at)
  const after = toImage(zoomAt(view, at, 0.2 + random() * 5), at)
  expect(after.x).toBeCloseTo(before.x, 6)
  expect(after.y).toBeCloseTo(before.y, 6)
})

test.each(seeds(50))('however far it is moved, some of the image stays in sight (seed %i)', (seed) => {
  const random = seeded(seed)
  const view = panned(anyView(random), { x: (random() - 0.5) * 1e6, y: (random() - 0.5) * 1e6 }, image, room)
  const from = toScreen(view, { x: 0, y: 0 })
  const to = toScreen(view, { x: image.width, y: image.height })
  expect(Math.min(to.x, room.width) - Math.max(from.x, 0)).toBeGreaterThan(0)
  expect(Math.min(to.y, room.height) - Math.max(from.y, 0)).toBeGreaterThan(0)
})

test('fitted, the whole image is seen; zoomed to a part, the part is larger and seen in whole', () => {
  const whole = fit(image, room)
  expect(toScreen(whole, { x: 0, y: 0 }).x).toBeGreaterThanOrEqual(0)
  expect(toScreen(whole, { x: image.width, y: image.height }).y).toBeLessThanOrEqual(room.height)
  const near = zoomTo([1_000, 1_000, 1_100, 1_050], room)
  expect(near.scale).toBeGreaterThan(whole.scale)
  expect(toScreen(near, { x: 1_000, y: 1_000 }).x).toBeGreaterThan(0)
  expect(toScreen(near, { x: 1_100, y: 1_050 }).y).toBeLessThan(room.height)
})

test('what is already in view is not moved; what is not comes into it at the same scale', () => {
  const view = fit(image, room)
  expect(bringIntoView(view, [100, 100, 300, 300], room)).toEqual(view)
  const close = { scale: 4, x: 0, y: 0 }
  const moved = bringIntoView(close, [2_000, 1_500, 2_050, 1_520], room)
  expect(moved.scale).toBe(4)
  const corner = toScreen(moved, { x: 2_050, y: 1_520 })
  expect(corner.x).toBeLessThanOrEqual(room.width)
  expect(corner.y).toBeLessThanOrEqual(room.height)
})
