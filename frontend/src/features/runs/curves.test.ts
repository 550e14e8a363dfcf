import { expect, test } from 'vitest'

import { newest, toCharts } from './curves'

const point = (seq: number, step: number, values: Record<string, number>) => ({ seq, step, values })

test('losses share a chart, and one that was evaluated more rarely has gaps', () => {
  const [loss, rate] = toCharts([point(1, 10, { loss: 2, lr: 0.1 }), point(2, 20, { loss: 1, lr: 0.2, validation_loss: 1.5 })])
  expect(loss).toEqual({
    title: 'Loss',
    steps: [10, 20],
    lines: [
      { name: 'Loss', values: [2, 1] },
      { name: 'Validation loss', values: [null, 1.5] },
    ],
  })
  expect(rate?.lines).toEqual([{ name: 'Learning rate', values: [0.1, 0.2] }])
})

test('two points of one step are one, and a step that was trained again counts as it was then', () => {
  const [loss, accuracy] = toCharts([
    point(1, 10, { loss: 2 }),
    point(2, 20, { loss: 9 }),
    point(3, 20, { loss: 1 }),
    point(4, 20, { validation_accuracy: 0.5 }),
  ])
  expect(loss?.lines[0]?.values).toEqual([2, 1])
  expect(accuracy).toMatchObject({ title: 'Accuracy', steps: [20], lines: [{ name: 'Validation accuracy', values: [0.5] }] })
})

test('a name that nobody knows gets a chart of its own, the time that is left none', () => {
  expect(toCharts([point(1, 1, { grad_norm: 3, eta_seconds: 9 })]).map(({ title }) => title)).toEqual(['Grad norm'])
  expect(toCharts([])).toEqual([])
})

test('the newest value of a name may be older than the newest point', () => {
  const points = [point(1, 1, { images_per_second: 90 }), point(2, 2, { loss: 1 })]
  expect(newest(points, 'images_per_second')).toBe(90)
  expect(newest(points, 'eta_seconds')).toBeNull()
})
