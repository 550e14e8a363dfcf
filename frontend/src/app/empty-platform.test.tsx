// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import { aDataset } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

test('with a dataset and no model, work begins with the first labels', async () => {
  list('/datasets', [aDataset({})])
  answer('get', '/forecast', {})
  openApp('/')
  expect(await screen.findByText(/no model is trained yet/)).toBeTruthy()
  await userEvent.click(screen.getByRole('link', { name: 'Mine samples' }))
  await screen.findByRole('heading', { level: 1, name: 'Mine samples' })
})

test.each([
  ['/datasets', 'datasets', 'Show archived datasets'],
  ['/models', 'models', 'Show archived models'],
  ['/pipelines', 'pipelines', 'Show archived pipelines'],
  ['/backtests', 'back-tests', 'Show archived back-tests'],
  ['/sweeps', 'sweeps', 'Show archived sweeps'],
])('where all on %s is archived, the page does not say that there is none yet', async (address, noun, shows) => {
  receive('get', address, ({ url }) => HttpResponse.json({ results: url.searchParams.has('archived') ? [{ id: 3, name: 'old', archived: '2026-11-01T12:00:00Z' }] : [], next: null }))
  openApp(address)
  expect(await screen.findByText(new RegExp(`^All ${noun} are archived\\.`))).toBeTruthy()
  expect(screen.getByRole('switch', { name: shows })).toBeTruthy()
  expect(screen.queryByText(/ yet/)).toBeNull()
})

const creates = /^(Add|Create|Make|Mine|New) /

function controls(): HTMLElement[] {
  const main = within(screen.getByRole('main'))
  return [...main.queryAllByRole('button', { name: creates }), ...main.queryAllByRole('link', { name: creates })]
}

test.each([
  ['/', 'My work', ['Create a dataset']],
  ['/datasets', 'Datasets', ['Create a dataset']],
  ['/models', 'Models', ['New model…']],
  ['/pipelines', 'Pipelines', ['New pipeline']],
  ['/mining', 'Mining', ['Mine samples']],
  ['/backtests', 'Back-tests', ['New back-test']],
  ['/sweeps', 'Sweeps', ['New sweep']],
  ['/label', 'Label', ['New queue']],
  ['/people', 'People', ['Add a person', 'Add an annotator']],
])('on a platform that holds nothing, what creates something on %s opens a dialog or a page', async (address, title, least) => {
  list('/people', [{ id: 1, username: 'owner', role: 'owner', projects: [], active: true, email: null, provider: false, service: false, created: '2026-11-01T12:00:00Z', last_seen: null, tokens: 1 }])
  answer('get', '/forecast', {})
  openApp(address)
  await screen.findByRole('heading', { level: 1, name: title })
  await waitFor(() => expect(controls().map((control) => control.textContent.trim())).toEqual(expect.arrayContaining(least)))
  for (const place of controls().keys()) {
    const control = controls()[place]
    if (control) await userEvent.click(control)
    await waitFor(() => expect(screen.queryByRole('dialog') !== null || location.pathname !== `/app${address}`).toBe(true))
    if (screen.queryByRole('dialog')) {
      await userEvent.keyboard('{Escape}')
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    } else {
      await waitFor(() => expect(document.querySelector('main form, main table, main .message')).not.toBeNull())
      history.back()
      await screen.findByRole('heading', { level: 1, name: title })
      await waitFor(() => expect(controls().length).toBeGreaterThan(place))
    }
  }
})

test.each(['/mining/new', '/pipelines/new', '/backtests/new', '/sweeps/new'])('a form that needs a dataset leads to creating one, where there is none: %s', async (address) => {
  openApp(address)
  expect(await screen.findByText(/There is no dataset yet\./)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Create a dataset' }).getAttribute('href')).toBe('/app/datasets/new')
})

test('while the first steps are shown, they alone offer to create a dataset', async () => {
  answer('get', '/forecast', {})
  openApp('/')
  expect(await screen.findByText(/Nothing here yet/)).toBeTruthy()
  expect(screen.getAllByRole('link', { name: 'Create a dataset' })).toHaveLength(1)
})
