// @vitest-environment jsdom

import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const size = { type: 'integer', minimum: 8, maximum: 128, default: 28, unit: 'pixels', advanced: false, group: 'Network', title: 'Size', description: 'Height and width of the input.' }
const epochs = { type: 'number', exclusiveMinimum: 0, maximum: 1000, default: 8, advanced: false, group: 'Length', title: 'Epochs' }
const flip = { type: 'boolean', default: false, advanced: true, group: 'Augmentation', title: 'Flip' }
const forecast = {
  architecture: 'small_cnn', config: {}, params: { size: 32 }, recipe: { epochs: 4, flip: false },
  seconds: 720, runs: 3, source: 'measured', device: 'cpu', words: 'About 12 minutes on this machine (from 3 earlier trainings).',
}

function serve() {
  list('/architectures', [{ name: 'small_cnn', tasks: ['classification'], summary: '', frozen: false, params_schema: { properties: { size } }, recipe_schema: { properties: { epochs, flip } }, recipe: { epochs: 8 } }])
  list('/datasets', [aDataset({ name: 'digits' })])
  for (const address of ['/models/cnn/versions', '/models/cnn/promotions', '/runs']) list(address, [])
  answer('get', '/models/cnn', aModel({ name: 'cnn', latest: null }))
  answer('get', '/datasets/digits/recommended-architecture', { architecture: 'small_cnn', config: {}, reason: '', learner: { architecture: 'small_cnn', config: { params: { size: 32 } }, reason: 'The images are small.' } })
}

async function openDialog() {
  openApp('/models/cnn')
  await userEvent.click((await screen.findAllByRole('button', { name: /^Train/ }))[0] as HTMLElement)
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByLabelText('Size')
  return dialog
}

test('settings are fields with the defaults that count here, and the forecast follows them', async () => {
  serve()
  const asked = receive('post', '/runs/forecast', () => Response.json(forecast))
  const sent = receive('post', '/runs', () => refusal({ status: 400, detail: 'epochs: too many', errors: { 'config.recipe.epochs': ['must be at most 1000'] } }))
  const dialog = await openDialog()
  expect(await dialog.findByText('About 12 minutes on this machine (from 3 earlier trainings).')).toBeTruthy()
  await waitFor(() => expect(dialog.getByLabelText('Epochs').getAttribute('placeholder')).toBe('4'))
  expect(dialog.getByLabelText('Size').getAttribute('placeholder')).toBe('32')
  expect(dialog.getByText('Height and width of the input. 8 to 128 pixels.')).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Epochs'), '2.50')
  await userEvent.selectOptions(dialog.getByLabelText('Flip'), 'true')
  expect(dialog.getByLabelText<HTMLInputElement>('Epochs').value).toBe('2.50')
  await waitFor(() => expect(asked.at(-1)).toMatchObject({ dataset: 'digits', config: { recipe: { epochs: 2.5, flip: true } } }))
  await userEvent.click(dialog.getByRole('button', { name: 'Train' }))
  expect(await dialog.findByText('must be at most 1000.')).toBeTruthy()
  expect(sent).toEqual([expect.objectContaining({ config: { recipe: { epochs: 2.5, flip: true } } })])
})

test('JSON and fields stay in step both ways, and keys that no field has are kept', async () => {
  serve()
  receive('post', '/runs/forecast', () => Response.json(forecast))
  const sent = receive('post', '/runs', () => refusal({ status: 400, detail: 'no' }))
  const dialog = await openDialog()
  await userEvent.type(dialog.getByLabelText('Size'), '64')
  await userEvent.click(dialog.getByLabelText('Edit as JSON'))
  const json = dialog.getByLabelText<HTMLTextAreaElement>('Settings')
  expect(JSON.parse(json.value)).toEqual({ params: { size: 64 } })
  fireEvent.change(json, { target: { value: '{"params": {"size": 16, "own": 3}' } })
  expect(dialog.getByLabelText('Edit as JSON')).toHaveProperty('disabled', true)
  fireEvent.change(json, { target: { value: '{"params": {"size": 16, "own": 3}}' } })
  await userEvent.click(dialog.getByLabelText('Edit as JSON'))
  expect(dialog.getByLabelText<HTMLInputElement>('Size').value).toBe('16')
  await userEvent.clear(dialog.getByLabelText('Size'))
  await userEvent.click(dialog.getByRole('button', { name: 'Train' }))
  await waitFor(() => expect(sent).toEqual([expect.objectContaining({ config: { params: { own: 3 } } })]))
})

test('what the forecast refuses is said at its field before anything is started', async () => {
  serve()
  receive('post', '/runs/forecast', ({ body }) => {
    const { config } = body as { config: { params?: { size?: number } } }
    return config.params?.size === 4 ? refusal({ status: 400, detail: 'size: too small', errors: { 'config.params.size': ['must be at least 8'] } }) : Response.json(forecast)
  })
  const dialog = await openDialog()
  await userEvent.type(dialog.getByLabelText('Size'), '4')
  expect(await dialog.findByText('must be at least 8.')).toBeTruthy()
  expect(dialog.getByText('No forecast until the settings are mended.')).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Size'), '8')
  expect(await dialog.findByText(/About 12 minutes/)).toBeTruthy()
})
