// @vitest-environment jsdom

import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, type JsonBodyType } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { makeQueryClient } from '../shared/api/query-client'
import { DeleteDialog } from '../shared/lifecycle/delete-dialog'
import { openApp } from './testing/open-app'
import { answer, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

test('what was read of a thing is forgotten once it is deleted', async () => {
  answer('get', '/pipelines/3/deletion', { name: 'night', allowed: true, goes: [], stays: [], needs: [], busy: [] })
  receive('post', '/pipelines/3/deletion', () => HttpResponse.json({}, { status: 202 }))
  const client = makeQueryClient({})
  client.setQueryData(['pipelines', '3'], { id: 3, name: 'night' })
  render(
    <QueryClientProvider client={client}>
      <DeleteDialog kind="pipeline" thing={{ id: 3, name: 'night', archived: '2026-11-01T12:00:00Z' }} onClose={() => undefined} />
    </QueryClientProvider>,
  )
  await userEvent.type(await screen.findByRole('textbox'), 'night')
  await userEvent.click(screen.getByRole('button', { name: 'Delete the pipeline' }))
  await waitFor(() => expect(client.getQueryData(['pipelines', '3'])).toBeUndefined())
})

test('what showed a deleted thing is left before lists are read again: nothing asks for what is gone', async () => {
  let gone = false
  const late: string[] = []
  const sweep = {
    id: 3, name: 'wide', model: 'cnn', dataset: 'pets', version: 1, state: 'succeeded', error: '', project: 'default', archived: '2026-11-01T12:00:00Z', created: '2026-11-01T12:00:00Z',
    architecture: 'small_cnn', config: {}, seed: 0, space: {}, metric: 'accuracy', direction: 'maximize', sampler: 'tpe', pruner: 'none', trials: 2, parallel: 1, startup: 5, warmup: 1,
    counts: { running: 0, complete: 0, pruned: 0, failed: 0, cancelled: 0 }, best: null, importance: [],
  }
  const read = (path: string, document: JsonBodyType) =>
    receive('get', path, () => {
      if (gone) late.push(path)
      return HttpResponse.json(document)
    })
  read('/sweeps/3', sweep)
  read('/sweeps/3/trials', { results: [], next: null })
  read('/sweeps/3/deletion', { name: 'wide', allowed: true, goes: [], stays: [], needs: [], busy: [] })
  receive('post', '/sweeps/3/deletion', () => {
    gone = true
    return HttpResponse.json({}, { status: 202 })
  })
  openApp('/sweeps/3')
  await userEvent.click(await screen.findByRole('button', { name: 'More for the sweep wide' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete…' }))
  await userEvent.type(await screen.findByLabelText(/^Type wide/), 'wide')
  await userEvent.click(screen.getByRole('button', { name: 'Delete the sweep' }))
  expect(await screen.findByRole('heading', { level: 1, name: 'Sweeps' })).toBeTruthy()
  expect(await screen.findByText(/^No sweeps yet/)).toBeTruthy()
  expect(late).toEqual([])
})
