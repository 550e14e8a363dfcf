// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const cars = { name: 'cars', title: '100 cars', source: 'a talk', question: { fleet: { vehicles: 100, terabytes_per_hour: 1, hours_per_day: 8, days: 260, share_kept: 0.0005 } }, notes: [] }
const plan = {
  inputs: [{ name: 'fleet.days', value: 260, unit: 'd', source: { kind: 'example', words: 'of the example: a talk', n: null, since: null, until: null } }],
  figures: [{ group: 'storage', name: 'kept', title: 'Kept', value: 104, unit: 'TB', formula: '208,000 TB × 0.0005', printed: { value: 104, unit: 'TB', off: 0 } }],
  trainings: [], missing: [{ what: 'The number of images', needs: ['data.image_bytes'] }], notes: ['A note.'], currency: '', example: 'cars',
}

test('picking an example shows its plan and puts it into the address', async () => {
  list('/plans/examples', [cars])
  const sent = receive('post', '/plans', () => Response.json(plan))
  openApp('/planner')
  await userEvent.selectOptions(await screen.findByLabelText('Example'), '100 cars')
  expect(await screen.findByRole('row', { name: /Kept 104 TB/ })).toBeTruthy()
  expect(screen.getByText('A note.')).toBeTruthy()
  expect(screen.getByText(/Give Bytes of an image/)).toBeTruthy()
  expect(location.search).toBe('?example=cars')
  expect(sent).toEqual([{ example: 'cars' }])
  await userEvent.type(screen.getByLabelText('Target, days'), '7')
  await userEvent.click(screen.getByRole('button', { name: 'Calculate' }))
  await screen.findByRole('row', { name: /Kept 104 TB/ })
  expect(sent.at(-1)).toEqual({ example: 'cars', target_days: 7 })
  await userEvent.click(screen.getByRole('button', { name: 'Clear' }))
  expect(await screen.findByRole('heading', { name: 'Start from an example' })).toBeTruthy()
  expect(location.search).toBe('')
})

test('an empty form says what to give', async () => {
  list('/plans/examples', [cars])
  const sent = receive('post', '/plans', () => Response.json(plan))
  openApp('/planner')
  await userEvent.click(await screen.findByRole('button', { name: 'Calculate' }))
  expect(screen.getByText(/Pick an example, or type at least one figure/)).toBeTruthy()
  expect(screen.getByLabelText('Example').getAttribute('aria-invalid')).toBe('true')
  await userEvent.type(screen.getByLabelText('Days'), '7')
  expect(screen.queryByText(/at least one figure/)).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Calculate' }))
  expect(await screen.findByRole('row', { name: /Kept 104 TB/ })).toBeTruthy()
  expect(sent).toEqual([{ fleet: { days: 7 } }])
})

test('what the server refuses stands at its field', async () => {
  list('/plans/examples', [cars])
  receive('post', '/plans', () => refusal({ status: 400, detail: 'That cannot be.', errors: { 'fleet.days': ['must be a number from 0.000001 to 36,500, such as 260'] } }))
  openApp('/planner?with=fleet.days:0')
  const group = within(await screen.findByRole('form', { name: 'Plan' }))
  expect(await group.findByText(/must be a number from/)).toBeTruthy()
  expect(group.getByLabelText('Days').getAttribute('aria-invalid')).toBe('true')
})

test('a planner that was asked nothing says what it answers, and offers each example at one press', async () => {
  list('/plans/examples', [cars])
  receive('post', '/plans', () => Response.json(plan))
  openApp('/planner')
  expect(await screen.findByRole('heading', { name: 'What a plan answers' })).toBeTruthy()
  const example = within(screen.getByRole('region', { name: 'Start from an example' }))
  expect(example.getByText('100 vehicles, 260 days. From a talk.')).toBeTruthy()
  await userEvent.click(example.getByRole('button', { name: 'Calculate 100 cars' }))
  expect(await screen.findByRole('row', { name: /Kept 104 TB/ })).toBeTruthy()
  expect(location.search).toBe('?example=cars')
})
