// @vitest-environment jsdom

import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { Role } from '../shared/access/types'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

const readers = ['viewer', 'reviewer', 'engineer', 'owner'] as const

/** Roles to whom a page shows the button or the link, of those who may open the page. */
async function shownTo(address: string, heading: string, words: RegExp, among: readonly Role[] = readers): Promise<Role[]> {
  const found: Role[] = []
  for (const role of among) {
    answer('get', '/session', sessionOf(role))
    openApp(address)
    await screen.findByRole('heading', { name: heading, level: 1 })
    await screen.findAllByText(/No .* yet|pets|waiting for labels/)
    if (['button', 'link'].some((kind) => screen.queryAllByRole(kind, { name: words }).length > 0)) found.push(role)
  }
  return found
}

test.each([
  ['/datasets', 'Datasets', /^Create a dataset/],
  ['/models', 'Models', /^New model/],
  ['/pipelines', 'Pipelines', /^New pipeline/],
  ['/mining', 'Mining', /^Mine samples/],
  ['/backtests', 'Back-tests', /^New back-test/],
  ['/sweeps', 'Sweeps', /^New sweep/],
])('who may build is offered it on %s, and nobody else', async (address, heading, words) => {
  expect(await shownTo(address, heading, words)).toEqual(['engineer', 'owner'])
})

test('queues are made by reviewers and up', async () => {
  expect(await shownTo('/label', 'Label', /^New queue/, ['annotator', 'reviewer', 'engineer'])).toEqual(['reviewer', 'engineer'])
})

test('a model is trained by engineers', async () => {
  answer('get', '/models/pets-cnn', aModel())
  list('/models/pets-cnn/versions', [])
  list('/models/pets-cnn/promotions', [])
  list('/runs', [])
  expect(await shownTo('/models/pets-cnn', 'pets-cnn', /^Train/)).toEqual(['engineer', 'owner'])
})

test('a dataset is archived by engineers, and deleted by owners', async () => {
  list('/datasets', [aDataset({ archived: '2026-11-02T12:00:00Z' })])
  const builders: readonly Role[] = ['engineer', 'owner']
  const menus: [Role, string[]][] = []
  for (const role of readers) {
    answer('get', '/session', sessionOf(role))
    openApp('/datasets')
    await screen.findByRole('row', { name: /pets/ })
    const menu = { name: 'More for the dataset pets' }
    if (builders.includes(role)) await userEvent.click(await screen.findByRole('button', menu))
    else expect(screen.queryByRole('button', menu)).toBeNull()
    menus.push([role, screen.queryAllByRole('menuitem').map(({ textContent }) => textContent)])
  }
  expect(menus).toEqual([
    ['viewer', []],
    ['reviewer', []],
    ['engineer', ['Rename… (restore it first)', 'Restore']],
    ['owner', ['Rename… (restore it first)', 'Restore', 'Delete…']],
  ])
})

test('the folder of an engineer goes as one archive, for only owners of the platform store bytes ahead of a commit', async () => {
  answer('get', '/session', sessionOf('engineer'))
  receive('post', '/datasets', () => HttpResponse.json(aDataset(), { status: 201 }))
  const begun = receive('post', '/datasets/pets/archives', () => HttpResponse.json({ id: 3, parts: 0, part_bytes: 1_000_000, received: [] }))
  const committed = receive('post', '/datasets/pets', () => HttpResponse.json({ job: { id: 9 } }, { status: 202 }))
  openApp('/datasets/new')
  await userEvent.upload(await screen.findByLabelText('Choose files'), new File(['x'], 'a.png', { type: 'image/png' }))
  await userEvent.type(await screen.findByLabelText('Name'), 'pets')
  await userEvent.type(screen.getByLabelText(/^Classes/), 'cat')
  await userEvent.click(screen.getByRole('button', { name: 'Create it with 1 image' }))
  await waitFor(() => expect(committed).toMatchObject([{ archive: { upload: 3, name: 'folder.tar' } }]))
  expect(begun).toMatchObject([{ name: 'folder.tar', size: 2_048 }])
})
