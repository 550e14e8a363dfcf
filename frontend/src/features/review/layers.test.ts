import { expect, test } from 'vitest'

import { layersOf, startOf } from './layers'
import { optionsOf } from './options'
import type { Review } from './types'

type Corners = [number, number, number, number]
const boxes = (...corners: Corners[]) => ({ boxes: corners.map((box) => ({ class: 'nut', box })) })
const by = (id: number, username: string, value: Review['answers'][number]['value']) => ({
  id, author: { id, username }, value, seconds: 1, shown_suggestion: true, created: '',
})
const review = {
  answers: [by(7, 'ana', boxes([0, 0, 4, 4])), by(8, 'bo', null), by(9, 'cy', boxes([1, 1, 5, 5]))],
  consensus: { value: boxes([0, 0, 5, 5]), confidence: 0.8 },
  suggestion: { ...boxes([2, 2, 3, 3]), model: 'm@1' },
} as unknown as Review
const layers = layersOf(review, optionsOf(review))

test('each person who drew has a sheet with the key of their answer, then come consensus and model', () => {
  expect(layers.map(({ id, name, key }) => [id, name, key])).toEqual([
    ['7', 'ana', '1'],
    ['9', 'cy', '3'],
    ['consensus', 'Consensus', null],
    ['model', 'Model', null],
  ])
  expect(new Set(layers.map(({ colour, dash }) => colour + dash)).size).toBe(4)
})

test('editing begins with the one sheet that is shown, else with the consensus', () => {
  expect(startOf(layers, new Set(['7', 'consensus', 'model']))).toEqual(boxes([1, 1, 5, 5]))
  expect(startOf(layers, new Set())).toEqual(boxes([0, 0, 5, 5]))
  expect(startOf(layers.slice(0, 2), new Set())).toEqual(boxes([0, 0, 4, 4]))
  expect(startOf([], new Set())).toEqual({ boxes: [] })
})
