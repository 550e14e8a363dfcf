import { expect, test } from 'vitest'

import type { RunTable } from '../../../shared/api/types'
import { axisOf } from './axes'
import { columnOf, columnsOf, usual, type RunColumn } from './columns'
import { csvOf } from './csv'
import { chosen, fits, rangeWords, read, within, written, type Range } from './ranges'

const created = '2026-11-01T12:00:00Z'

function aTable(): RunTable {
  const run = (id: number, seconds: number | null) => ({ id, model: 'pets', model_version: null, state: 'succeeded' as const, seconds, notes: id === 1 ? '=1+1, "x"' : '', created })
  return {
    total: 3,
    runs: [run(3, 8), run(2, 90), run(1, null)],
    config: [
      { name: 'recipe.learning_rate', values: [0.1, 0.001, 0.01], same: false },
      { name: 'architecture', values: ['small_cnn', 'resnet', 'small_cnn'], same: false },
      { name: 'recipe.steps', values: [100, 100, 100], same: true },
      { name: 'params', values: [{ width: 8 }, null, { width: 8 }], same: false },
    ],
    metrics: [{ name: 'accuracy', values: [0.9, 0.8, null] }],
  }
}

function column(id: string): RunColumn {
  const found = columnsOf(aTable()).find((one) => one.id === id)
  if (!found) throw new Error(id)
  return found
}

test('columns are what differs, and what came out', () => {
  const columns = columnsOf(aTable())
  expect(columns.map(({ id, isNumber, isWide, isResult }) => [id, isNumber, isWide, isResult])).toEqual([
    ['recipe.learning_rate', true, true, false],
    ['architecture', false, false, false],
    ['params', false, false, false],
    ['result.accuracy', true, false, true],
    ['seconds', true, false, true],
  ])
  expect(columns.map(({ words, values }) => words(values[0] ?? null))).toEqual(['0.1', 'small_cnn', '{"width":8}', '90.0 %', '8 s'])
  expect(columns.map(({ title }) => title)).toEqual(['learning_rate', 'architecture', 'params', 'Accuracy', 'Time'])
  expect(usual(columns, [0, 1, 2])).toHaveLength(5)
})

test('the version of the dataset is not taken for that of the model, and a list is read as words', () => {
  const config = [{ name: 'version', values: [1, 2, 2], same: false }, { name: 'export.precisions', values: [[], ['fp16', 'int8'], null], same: false }]
  const [version, precisions] = columnsOf({ ...aTable(), config })
  expect([version?.title, precisions?.title]).toEqual(['dataset version', 'precisions'])
  expect(precisions?.values).toEqual(['none', 'fp16, int8', null])
})

test('what fewer than half of the runs shown have is no usual column', () => {
  const columns = [columnOf({ id: 'anchors', title: 'anchors', values: [9, null, null], words: String }), columnOf({ id: 'width', title: 'width', values: [null, 8, 16], words: String })]
  expect(usual(columns, [0, 1, 2])).toEqual(['width'])
  expect(usual(columns, [0])).toEqual(['anchors'])
})

test('a number lies where its logarithm says on a wide axis, a name among the others, and nothing nowhere', () => {
  const rate = axisOf(column('recipe.learning_rate'))
  expect([0.001, 0.01, 0.1, null].map((value) => rate.place(value))).toEqual([0, expect.closeTo(0.5), 1, null])
  const architecture = axisOf(column('architecture'))
  expect(architecture.ticks).toEqual([
    { at: 0, words: 'resnet' },
    { at: 1, words: 'small_cnn' },
  ])
  expect(axisOf(column('result.accuracy')).place(null)).toBeNull()
})

test('part of an axis is the values in it, and an address gives back what it was given', () => {
  expect(within(axisOf(column('recipe.learning_rate')), 0.4, 1)).toEqual({ column: 'recipe.learning_rate', from: 0.01, to: 0.1 })
  expect(within(axisOf(column('architecture')), 0.9, 1)).toEqual({ column: 'architecture', names: ['small_cnn'] })
  expect(within(axisOf(column('architecture')), 0.2, 0.8)).toBeNull()
  const ranges: Range[] = [
    { column: 'a', from: 0.001, to: null },
    { column: 'a', from: -1e-7, to: 2 },
    { column: 'b', names: ['x|y', '1..2', 'ö:'] },
    { column: 'b', names: ['1..2'] },
  ]
  expect(ranges.map(written).map(read)).toEqual(ranges)
  expect(['', ':1..2', 'a', 'a:', 'a:..', 'a:b', 'a:=%'].map(read)).toEqual(Array(7).fill(null))
})

test('runs have all that is asked, and a column that is no more asks nothing', () => {
  const columns = columnsOf(aTable())
  const asked = (...texts: string[]) => chosen(columns, texts.map(read).filter((range) => range !== null), 3)
  expect(asked()).toEqual([0, 1, 2])
  expect(asked('architecture:=small_cnn')).toEqual([0, 2])
  expect(asked('architecture:=small_cnn', 'result.accuracy:0.5..')).toEqual([0])
  expect(asked('gone:1..2')).toEqual([0, 1, 2])
  expect(fits({ column: 'a', from: 1, to: null }, 'one')).toBe(false)
  expect(rangeWords({ column: 'seconds', from: null, to: 60 }, column('seconds'))).toBe('at most 1 min 00 s')
})

test('a table for a spreadsheet begins nothing that it would compute', () => {
  const text = csvOf(aTable(), [column('result.accuracy')], [2, 0])
  expect(text).toBe(
    'run,model,model_version,state,created,notes,result.accuracy\r\n' + `1,pets,,succeeded,${created},"'=1+1, ""x""",\r\n` + `3,pets,,succeeded,${created},,0.9\r\n`,
  )
})
