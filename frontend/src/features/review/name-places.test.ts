import { expect, test } from 'vitest'

import type { AnswerLayer } from './layers'
import { namePlaces } from './name-places'

const sheet = (name: string, shapes: AnswerLayer['shapes']): AnswerLayer => ({ id: name, name, key: null, shapes, colour: '#fff', dash: '' })
const box = (x: number, y: number) => ({ class: 'roof', box: [x, y, x + 50, y + 50] as [number, number, number, number] })

test('names of boxes that lie on each other stand on lines of their own', () => {
  const places = namePlaces([sheet('owner', { boxes: [box(40, 40)] }), sheet('Consensus', { boxes: [box(41, 40)] }), sheet('Model', { boxes: [box(40, 42)] })], 10)
  expect(places.map(({ text }) => text)).toEqual(['roof · owner', 'roof · Consensus', 'roof · Model'])
  const lines = places.map(({ y }) => y)
  for (const [place, y] of lines.entries()) for (const other of lines.slice(place + 1)) expect(Math.abs(y - other)).toBeGreaterThanOrEqual(10)
})

test('names that do not meet stay above their shapes, and inside the image at its upper edge', () => {
  const places = namePlaces([sheet('owner', { boxes: [box(0, 0), box(300, 200)] })], 10)
  expect(places.map(({ x, y }) => [x, y])).toEqual([[0, 10], [300, 197]])
})

test('polygons are named too, at their topmost corner', () => {
  const shapes = { boxes: [], polygons: [{ class: 'roof', points: [[10, 90], [60, 40], [90, 90]] }] } as unknown as AnswerLayer['shapes']
  expect(namePlaces([sheet('owner', shapes)], 10)).toEqual([{ id: 'owner 0', text: 'roof · owner', colour: '#fff', x: 60, y: 37 }])
})
