import { expect, test } from 'vitest'

import { fitted, panned, pinched, plainView, viewAfter, zoomed } from './view'

test('a zoom keeps the point under the cursor in its place', () => {
  const at = { x: 100, y: -40 }
  const near = zoomed(zoomed(plainView, 2, at), 1.5, at)
  // The point of the image that lies under the cursor, in px of the fitted image.
  const under = (view: typeof plainView) => [(at.x - view.x) / view.scale, (at.y - view.y) / view.scale]
  expect(under(near)[0]).toBeCloseTo(100)
  expect(under(near)[1]).toBeCloseTo(-40)
})

test('what two fingers hold stays under them, and together they bring the fitted image back', () => {
  const fit = { width: 300, height: 300 }
  const near = pinched(plainView, [{ x: -20, y: 0 }, { x: 20, y: 0 }], [{ x: -50, y: 10 }, { x: 50, y: 10 }], fit)
  expect(near).toMatchObject({ scale: 2.5, x: 0, y: 10 })
  expect(pinched(near, [{ x: -80, y: 0 }, { x: 80, y: 0 }], [{ x: -10, y: 0 }, { x: 10, y: 0 }], fit)).toEqual(plainView)
})

test('zooming out ends at the fitted image in the middle', () => {
  const moved = panned(zoomed(plainView, 4, { x: 10, y: 10 }), { x: 50, y: 50 }, { width: 900, height: 900 })
  expect(zoomed(moved, 0.1, { x: 300, y: 300 })).toEqual(plainView)
})

test('an image cannot be lost off the stage', () => {
  const { x, y } = panned({ ...plainView, scale: 2 }, { x: 10_000, y: -10_000 }, { width: 600, height: 400 })
  expect([x, y]).toEqual([300, -200])
})

test('tiny images grow by whole factors, large ones shrink', () => {
  expect(fitted({ width: 32, height: 32 }, { width: 700, height: 500 })).toBe(14)
  expect(fitted({ width: 4000, height: 2000 }, { width: 848, height: 848 })).toBeCloseTo(0.2)
})

test('brightness and contrast go in steps between their ends', () => {
  let view = plainView
  for (let press = 0; press < 20; press += 1) view = viewAfter('brighter', view) ?? view
  expect(view.brightness).toBe(2.4)
  expect(viewAfter('darker', view)?.brightness).toBe(2.2)
  expect(viewAfter('zoom', { ...view, scale: 3, x: 5, y: 5 })).toMatchObject({ scale: 1, x: 0, y: 0 })
  expect(viewAfter('skip', view)).toBeNull()
})
