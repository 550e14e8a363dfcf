import { expect, test } from 'vitest'

import { comparedCharts, newest, toCharts } from './curves'

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

test('runs lie over each other on the steps of all, and one without a curve has no line', () => {
  const series = [{ name: 'validation_accuracy', curves: [[[1, 0.5], [3, 0.7]], [[2, 0.6]], []] }, { name: 'eta_seconds', curves: [[[1, 5]], [], []] }]
  expect(comparedCharts({ series, names: ['run 1', 'run 2', 'run 3'] })).toEqual([
    {
      title: 'Validation accuracy',
      steps: [1, 2, 3],
      lines: [
        { name: 'run 1', values: [0.5, null, 0.7] },
        { name: 'run 2', values: [null, 0.6, null] },
      ],
    },
  ])
})
