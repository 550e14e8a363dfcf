// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test, vi } from 'vitest'

import type { Role } from '../shared/access/types'
import { manualAt } from './manual'
import { makeRouter } from './router'
import { openApp } from './testing/open-app'
import { answer, receive, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)
afterEach(() => localStorage.clear())

const bar = async () => within(await screen.findByRole('navigation', { name: 'Pages' }))
const openGroups = (within_: Awaited<ReturnType<typeof bar>>) => within_.queryAllByRole('button', { expanded: true }).map((button) => button.textContent)

/** A window that is so wide. */
function wide(px: number) {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => {
    const [, sign, bound] = /\(width (>=|<) (\d+)px\)/.exec(query) ?? []
    const matches = sign === undefined ? false : sign === '<' ? px < Number(bound) : px >= Number(bound)
    return { matches, addEventListener: () => undefined, removeEventListener: () => undefined } as unknown as MediaQueryList
  })
}

test.each<[Role, string[]]>([
  ['owner', ['Label', 'Models', 'Mining']],
  ['annotator', ['Label']],
  ['viewer', ['Models', 'Mining']],
])('the groups that %s works with are open', async (role, groups) => {
  wide(1440)
  answer('get', '/session', sessionOf(role))
  openApp('/')
  expect(openGroups(await bar())).toEqual(groups)
})

test('a folded group stays folded and shows its page that is open, and the server keeps that', async () => {
  wide(1440)
  const kept = receive('put', '/session/preferences', ({ body }) => HttpResponse.json(body as object))
  openApp('/')
  const pages = await bar()
  await userEvent.click(pages.getByRole('button', { name: 'Models' }))
  expect(pages.queryByRole('link', { name: 'Sweeps' })).toBeNull()
  await waitFor(() => expect(kept.at(-1)).toMatchObject({ navigation: { Models: false } }))
  cleanup()
  answer('get', '/session', sessionOf('owner', kept.at(-1) as Record<string, unknown>))
  openApp('/models')
  const there = await bar()
  expect(there.getByRole('link', { name: 'Models' })).toBeTruthy()
  expect(there.queryByRole('link', { name: 'Sweeps' })).toBeNull()
})

test('a narrow window has icons with all pages, and names where somebody wants them', async () => {
  wide(1024)
  openApp('/')
  const pages = await bar()
  expect(pages.getByRole('link', { name: 'Workers' })).toBeTruthy()
  expect(pages.queryByRole('button', { name: 'Operations' })).toBeNull()
  await userEvent.click(pages.getByRole('button', { name: 'Show names' }))
  expect(pages.getByRole('button', { name: 'Operations', expanded: false })).toBeTruthy()
})

test('on a phone the pages are in a drawer, which closes when one is chosen', async () => {
  wide(390)
  openApp('/')
  await userEvent.click(await screen.findByRole('button', { name: 'Pages' }))
  const drawer = within(await screen.findByRole('dialog', { name: 'Pages' }))
  await userEvent.click(drawer.getByRole('link', { name: 'Models' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(await screen.findByRole('heading', { level: 1, name: 'Models' })).toBeTruthy()
})

test('every page leads to the page of the manual about it', async () => {
  const paths = Object.keys(makeRouter().routesByPath).filter((path) => !['/login', '/$', '$'].includes(path))
  expect(paths.length).toBeGreaterThan(40)
  expect(paths.filter((path) => manualAt(path.replace(/\$\w+/g, '7')) === '/manual/')).toEqual([])
  wide(1440)
  openApp('/planner')
  expect((await screen.findByRole('link', { name: 'Help for this page' })).getAttribute('href')).toBe('/manual/howto/planning')
})
