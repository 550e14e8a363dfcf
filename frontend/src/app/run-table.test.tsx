// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import type { RunTable } from '../shared/api/types'
import { openApp } from './testing/open-app'
import { answer, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const table: RunTable = {
  total: 812,
  runs: [3, 2, 1].map((id) => ({ id, model: 'pets', model_version: id === 3 ? null : id, state: id === 3 ? 'running' : 'succeeded', seconds: id * 10, notes: '', created: '2026-11-01T12:00:00Z' })),
  config: [
    { name: 'architecture', values: ['small_cnn', 'resnet', 'small_cnn'], same: false },
    { name: 'recipe.steps', values: [300, 200, 100], same: false },
  ],
  metrics: [{ name: 'accuracy', values: [null, 0.8, 0.9] }],
}

function rows(): (string | null)[] {
  return within(screen.getByRole('table', { name: 'Runs' })).getAllByRole('rowheader').map(({ textContent }) => textContent)
}

test('runs are ordered and filtered by what they were told and what came out, and two are compared', async () => {
  answer('get', '/runs/table', table)
  openApp('/runs')
  expect(await screen.findByRole('img', { name: '3 runs over 4 axes: architecture, steps, Accuracy, Time' })).toBeTruthy()
  expect(screen.getByText(/The newest 3 of 812 runs/)).toBeTruthy()
  expect(rows()).toEqual(['Run 3', 'Run 2', 'Run 1'])
  await userEvent.click(screen.getByRole('button', { name: 'Accuracy' }))
  await waitFor(() => expect(rows()).toEqual(['Run 1', 'Run 2', 'Run 3']))

  await userEvent.click(screen.getByText('Filter by a value'))
  await userEvent.click(screen.getByRole('checkbox', { name: 'small_cnn' }))
  await waitFor(() => expect(rows()).toEqual(['Run 1', 'Run 3']))
  await userEvent.selectOptions(screen.getByLabelText('Column'), 'recipe.steps')
  await userEvent.type(screen.getByLabelText('to'), '9')
  await userEvent.type(screen.getByLabelText('from'), '200')
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }))
  expect(screen.getByText('Type a number that is not below the first.')).toBeTruthy()
  expect(new URLSearchParams(location.search).getAll('where')).toEqual(['architecture:=small_cnn'])
  await userEvent.clear(screen.getByLabelText('to'))
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }))
  await waitFor(() => expect(rows()).toEqual(['Run 3']))
  expect(screen.getByRole('heading', { name: '1 of 3 runs' })).toBeTruthy()
  expect(new URLSearchParams(location.search).getAll('where')).toEqual(['architecture:=small_cnn', 'recipe.steps:200..'])
  await userEvent.click(screen.getByRole('button', { name: 'Remove the filter steps: at least 200' }))
  await waitFor(() => expect(rows()).toEqual(['Run 1', 'Run 3']))

  for (const id of [1, 3]) await userEvent.click(screen.getByRole('checkbox', { name: `Compare run ${id}` }))
  expect(screen.getByRole('link', { name: 'Compare 2 runs' }).getAttribute('href')).toBe('/app/runs/compare?ids=1%2C3')
})

test('a filter that no run fits is taken back, and columns are chosen', async () => {
  answer('get', '/runs/table', table)
  openApp('/runs?where=recipe.steps:5000..')
  await userEvent.click(await screen.findByRole('button', { name: 'Remove all filters' }))
  await waitFor(() => expect(rows()).toHaveLength(3))
  await userEvent.click(screen.getByText('Columns'))
  await userEvent.click(screen.getByRole('checkbox', { name: 'Time' }))
  await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Time' })).toBeNull())
})

test('where nothing was trained yet, it says how', async () => {
  answer('get', '/runs/table', { total: 0, runs: [], config: [], metrics: [] })
  openApp('/runs')
  await screen.findByText(/No training has run yet/)
})
