// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { aDataset, aModel } from './testing/documents'
import { FakeQueue } from './testing/fake-queue'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

const heading = (name: string) => screen.findByRole('heading', { level: 1, name })
const hint = () => screen.queryByRole('status', { name: 'Go to a page' })

test('two letters lead to a page, and a text field keeps its letters', async () => {
  openApp('/models')
  await heading('Models')
  await userEvent.keyboard('g')
  expect(hint()?.textContent).toContain('M Models')
  await userEvent.keyboard('d')
  await heading('Datasets')
  expect(hint()).toBeNull()
  for (const [letters, name] of [['gt', 'Team'], ['gj', 'Jobs'], ['ge', 'People']] as const) {
    await userEvent.keyboard(letters)
    await heading(name)
  }
  // No page has this letter: nothing happens, and the next one is an ordinary key again.
  await userEvent.keyboard('gxm')
  expect(hint()).toBeNull()
  expect(location.pathname).toBe('/app/people')
  await userEvent.type(screen.getByRole('searchbox'), 'gm')
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('gm')
  expect(location.pathname).toBe('/app/people')
})

test('the palette leads anywhere by keyboard', async () => {
  const data = aDataset({ name: 'pets' })
  list('/datasets', [data])
  answer('get', '/datasets/pets', data)
  list('/models', [aModel({ name: 'sorter' })])
  openApp('/')
  await heading('My work')
  for (const [typed, kind, path] of [
    ['create a data', 'action', '/app/datasets/new'],
    ['sorter', 'model', '/app/models/sorter'],
    ['dataset pets', 'dataset', '/app/datasets/pets'],
    ['workers', 'page', '/app/workers'],
    ['my work', 'page', '/app/'],
  ] as const) {
    await userEvent.keyboard('{Control>}k{/Control}')
    const box = await screen.findByRole('combobox', { name: /^Page, dataset/ })
    expect(document.activeElement).toBe(box)
    await userEvent.type(box, typed)
    await waitFor(() => expect(screen.getAllByRole('option')[0]?.textContent).toContain(kind))
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(location.pathname).toBe(path))
  }
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.type(await screen.findByRole('combobox', { name: /^Page, dataset/ }), 'nothing is called so')
  await screen.findByText('Nothing has “nothing is called so” in its name.')
})

test('the palette opens by the key that somebody set, from a text field too', async () => {
  const kept = receive('put', '/session/preferences', ({ body }) => HttpResponse.json(body as object))
  openApp('/settings/keys')
  const [row] = await screen.findAllByRole('row', { name: /Find a page/ })
  if (!row) throw new Error('the palette has no row')
  await userEvent.click(within(row).getByRole('button', { name: /remove from/ }))
  await userEvent.click(within(row).getByRole('button', { name: /^Add a key to/ }))
  await userEvent.keyboard('{Control>}j{/Control}')
  await waitFor(() => expect(document.querySelector('.topbar')?.textContent).toContain('Ctrl J'))
  await userEvent.keyboard('ge')
  await userEvent.type(await screen.findByRole('searchbox'), '{Control>}k{/Control}x')
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('x')
  expect(screen.queryByRole('dialog')).toBeNull()
  await userEvent.keyboard('{Control>}j{/Control}')
  await userEvent.type(within(await screen.findByRole('dialog', { name: 'Go to' })).getByRole('combobox'), 'back-t{Enter}')
  await heading('Back-tests')
  await waitFor(() => expect(kept.at(-1)).toMatchObject({ keymap: { strokes: { 'global.palette': ['Mod+J'] } } }))
})

test('a key that somebody set is told to the server, and acts in the workspace of another browser', async () => {
  const kept = receive('put', '/session/preferences', ({ body }) => HttpResponse.json(body as object))
  openApp('/settings/keys')
  const [row] = await screen.findAllByRole('row', { name: /^Skip this image/ })
  if (!row) throw new Error('skipping has no row')
  await userEvent.click(within(row).getByRole('button', { name: /^Add a key to/ }))
  await userEvent.keyboard('i')
  expect((await screen.findByRole('alert')).textContent).toContain('already means')
  await userEvent.keyboard('q')
  await within(row).findByText('Q')
  await waitFor(() => expect(kept).toHaveLength(1))

  cleanup()
  localStorage.clear()
  const queue = new FakeQueue('own-keys', 2)
  answer('get', '/session', sessionOf('owner', kept[0] as Record<string, unknown>))
  openApp('/label/own-keys')
  await screen.findByRole('img', { name: 'Sample 1.png' })
  await userEvent.keyboard('q')
  await waitFor(() => expect(queue.said.get(1)).toBeNull())
})
