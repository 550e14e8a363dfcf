// @vitest-environment jsdom

import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import { BoxAnswers } from '../features/models/box-answers'
import type { ImageAnswer } from '../shared/api/types'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const task = 'detection'
const classes = ['stop', 'yield']
const perClass = { support: 20, ap: 0.31, ap50: 0.62, precision: 0.7, recall: 0.5, f1: 0.58, recall_at_p90: 0.35, threshold: 0.42, intervals: { ap: [0.2, 0.4] } }
/** 101 recalls, of which the first 61 are reached. */
const curve = {
  precision: Array.from({ length: 101 }, (_, at) => (at <= 60 ? 0.8 : 0)),
  score: Array.from({ length: 101 }, (_, at) => (at <= 60 ? 0.9 - at / 100 : 0)),
}
const metrics = {
  samples: 24, objects: 40, map: 0.31, map50: 0.62, map75: 0.2, map_small: 0.1, map_medium: 0.4, map_large: null, precision: 0.7, recall: 0.5, f1: 0.58, recall_at_p90: 0.35,
  exact_match: 0.2, loss: 1.5, intervals: { map: [0.25, 0.37] }, per_class: { stop: perClass, yield: { ...perClass, support: 0, ap: null, ap50: null } },
  confusion: [[9, 1, 10], [0, 5, 15], [4, 0, 0]], confused: [['stop', 'yield', 1]], curves: { stop: curve, yield: null },
  calibration: { temperature: 1, thresholds: { stop: 0.42 } },
  worst: [{
    key: 'a.png', md5: 'ab', label: '1 stop', predicted: '1 stop', confidence: 0.4, objects: [{ class: 'stop', box: [0.1, 0.1, 0.3, 0.3], found: false }],
    boxes: [{ class: 'stop', box: [0.5, 0.5, 0.75, 1], score: 0.6 }],
  }],
}

function serveVersion() {
  answer('get', '/models/signs', aModel({ name: 'signs', task, classes }))
  answer('get', '/models/signs/versions/1', {
    model: 'signs', version: 1, architecture: 'centre_lite0', digest: 'ab'.repeat(32), dataset: 'roads', dataset_version: 2, run: null, aliases: [], metrics,
    size: 1_000, tensorrt: 'not verified', precisions: [], warnings: [], notes: '', created: '2026-11-01T12:00:00Z', slices: null, gates: [],
    lineage: { dataset: null, dataset_version: null, run: null, cloned_from: null, parent: null, made_from: [], children: [], hidden: 0 }, report: {}, lock: {}, artifacts: [], promotions: [],
  })
}

test('a version shows all its figures, those by class, and says where there is nothing to judge', async () => {
  serveVersion()
  openApp('/models/signs/1')
  const figures = within(await screen.findByLabelText('Evaluation'))
  expect(figures.getByText('Mean average precision').closest('div')?.textContent).toContain('31.0 %25.0 % to 37.0 %of 40 objects in 24 images')
  expect(figures.getByText('mAP, large objects').closest('div')?.textContent).toContain('–no such objects')
  const table = within(screen.getByLabelText('Figures by class'))
  expect(table.getAllByRole('columnheader').map((heading) => heading.textContent)).toEqual(['Class', 'AP', 'AP50', 'Precision', 'Recall', 'F1', 'Recall at P 90 %', 'Threshold', 'Objects', 'Errors'].map((name) => expect.stringContaining(name) as string))
  expect(table.getByRole('row', { name: /stop/ }).textContent).toContain('42.0 %')
  expect(table.getByRole('row', { name: /yield/ }).textContent).toContain('–')
})

test('precision and score are read at a recall, as far as it is reached', async () => {
  serveVersion()
  openApp('/models/signs/1')
  const read = within(await screen.findByLabelText('Precision by class'))
  expect(read.getByRole('row', { name: /stop/ }).textContent).toContain('80.0 %0.40')
  expect(read.queryByRole('row', { name: /yield/ })).toBeNull()
  fireEvent.change(screen.getByLabelText(/^Recall/), { target: { value: '80' } })
  expect(read.getByRole('row', { name: /stop/ }).textContent).toContain('not reached')
})

test('the worst images have the true boxes and those of the model', async () => {
  serveVersion()
  openApp('/models/signs/1')
  const image = await screen.findByRole('img', { name: 'a.png' })
  loaded(image, 200, 100)
  const places = [...(image.parentElement?.querySelectorAll('rect.line') ?? [])].map((rect) => ['x', 'y', 'width', 'height'].map((name) => Number(rect.getAttribute(name))))
  expect(places).toEqual([[20, 10, 40, expect.closeTo(20)], [100, 50, 50, 50]])
  expect(screen.getByText('→ elsewhere')).toBeTruthy()
})

test('boxes are drawn over an image that is tried, and a slider hides those that score less', async () => {
  const box = (name: string, score: number) => ({ class: name, box: [10, 20, 30, 40], score })
  const told = [box('stop', 0.9), box('yield', 0.3), box('stop', 0.1)]
  const result = {
    name: 'a.png', error: null, answer: { boxes: told.slice(0, 2) }, predictions: told.map(({ class: name, score, box: place }) => ({ class: name, probability: score, box: place })),
  } as unknown as ImageAnswer
  render(<BoxAnswers results={[result]} images={[{ url: '/a.png' }]} classes={classes} thresholds={{ stop: 0.42, yield: 0.2 }} />)
  const boxes = within(screen.getByLabelText('Boxes in a.png'))
  const drawn = () => screen.getByRole('img').parentElement?.querySelectorAll('rect.line').length
  loaded(screen.getByRole('img'), 64, 48)
  expect([boxes.getAllByRole('listitem').length, drawn()]).toEqual([2, 2])
  const slider = screen.getByLabelText(/^Lowest score/)
  expect(slider.getAttribute('aria-valuetext')).toBe('0.20 to 0.42, by class')
  fireEvent.change(slider, { target: { value: '0.05' } })
  expect([boxes.getAllByRole('listitem').length, drawn()]).toEqual([3, 3])
  fireEvent.change(slider, { target: { value: '0.95' } })
  expect([boxes.queryAllByRole('listitem').length, drawn()]).toEqual([0, 0])
  expect(screen.getByText('No box scores as much.')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'The model’s thresholds' }))
  expect(boxes.getAllByRole('button').map((row) => row.textContent)).toEqual(['stop0.90', 'yield0.30'])
})

test('training offers the architectures that learn the task, and shows at its field what the server refuses', async () => {
  const architecture = (name: string, tasks: string[]) => ({ name, tasks, summary: name, frozen: false, params_schema: {}, recipe_schema: {} })
  list('/architectures', [architecture('centre_lite0', [task]), architecture('small_cnn', ['classification'])])
  list('/datasets', [aDataset({ name: 'roads', task, classes })])
  list('/models/signs/versions', [])
  list('/models/signs/promotions', [])
  list('/runs', [])
  answer('get', '/models/signs', aModel({ name: 'signs', task, classes, latest: null }))
  answer('get', '/datasets/roads/recommended-architecture', { learner: { architecture: 'centre_lite0', reason: 'Its images are large enough.' } })
  const detail = 'recipe.mixup: a blend of two images has no boxes: leave it out'
  const sent = receive('post', '/runs', () => refusal({ status: 400, detail, errors: { 'config.recipe.mixup': ['a blend of two images has no boxes: leave it out'] } }))
  openApp('/models/signs')
  await userEvent.click((await screen.findAllByRole('button', { name: /^Train/ }))[0] as HTMLElement)
  const dialog = within(await screen.findByRole('dialog'))
  const field = await dialog.findByLabelText('Architecture')
  await dialog.findByText('Its images are large enough.')
  expect(within(field).getAllByRole('option').map((option) => option.textContent)).toEqual(['centre_lite0 (recommended)', 'centre_lite0'])
  await userEvent.selectOptions(field, 'centre_lite0')
  await userEvent.click(await dialog.findByLabelText('Edit as JSON'))
  fireEvent.change(dialog.getByLabelText('Settings'), { target: { value: '{"recipe": {"mixup": 0.2}}' } })
  await userEvent.click(dialog.getByRole('button', { name: 'Train' }))
  expect(await dialog.findByText('recipe.mixup: a blend of two images has no boxes: leave it out.')).toBeTruthy()
  expect(sent).toEqual([expect.objectContaining({ architecture: 'centre_lite0', config: { recipe: { mixup: 0.2 } } })])
})

/** The browser has read the image. */
function loaded(image: HTMLElement, width: number, height: number): void {
  Object.defineProperties(image, { naturalWidth: { value: width }, naturalHeight: { value: height } })
  fireEvent.load(image)
}
