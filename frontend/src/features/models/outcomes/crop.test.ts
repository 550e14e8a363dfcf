import { expect, test } from 'vitest'

import { cropOf, thumbnailServes } from './crop'

test('a box lies in the middle of its crop, with context around it', () => {
  const { left, top, width, height, side } = cropOf([[0.45, 0.4, 0.55, 0.6]], 1000, 500)
  expect(side).toBeCloseTo(180)
  expect([left, top].map((part) => part * side)).toEqual([expect.closeTo(-410), expect.closeTo(-160)])
  expect([width * side, height * side]).toEqual([expect.closeTo(1000), expect.closeTo(500)])
})

test('a crop does not reach out of the image, and two boxes are both in it', () => {
  const corner = cropOf([[0, 0, 0.1, 0.1]], 1000, 1000)
  expect([corner.left, corner.top]).toEqual([-0, -0])
  const { side, left } = cropOf([[0.1, 0.1, 0.2, 0.2], [0.3, 0.1, 0.4, 0.2]], 1000, 1000)
  expect(side).toBeCloseTo(540)
  expect(-left * side).toBeLessThanOrEqual(100)
  expect(-left * side + side).toBeGreaterThanOrEqual(400)
})

test('an image without boxes, or with one that fills it, is shown whole and in the middle', () => {
  for (const boxes of [[], [[0, 0, 1, 1] as const]]) {
    expect(cropOf(boxes, 400, 200)).toEqual({ left: -0, top: 0.25, width: 1, height: 0.5, side: 400 })
  }
})

test('a thumbnail serves for small images and for large parts of others', () => {
  const crop = (share: number, size: number) => cropOf([[0, 0, share, share]], size, size)
  expect(thumbnailServes(crop(0.1, 150), 150, 150, 160)).toBe(true)
  expect(thumbnailServes(crop(0.5, 1920), 1920, 1920, 160)).toBe(true)
  expect(thumbnailServes(crop(0.1, 1920), 1920, 1920, 160)).toBe(false)
})
