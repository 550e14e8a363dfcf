// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, expect, test } from 'vitest'

import type { ProjectRole } from '../shared/access/types'
import type { AuditEvent } from '../shared/api/types'
import { when } from '../shared/format/numbers'
import { choose } from './testing/choose'
import { aProject } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing, sessionIn, sessionOf } from './testing/server'

serveNothing()
beforeEach(() => answer('put', '/session/preferences', {}))
afterEach(() => {
  cleanup()
  localStorage.clear()
})

const created = '2026-11-01T12:00:00Z'

function anEvent(part: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: 1, created, who: 'mia', token: '', address: '203.0.113.9', request_id: 'req-7', action: 'role given', kind: 'person', name: 'ben', project: 'roads',
    before: { role: 'annotator' }, after: { role: 'engineer' }, ...part,
  }
}

/** The log answers with these pages, each after the one before; returns what it was asked for. */
function serveLog(...pages: AuditEvent[][]): URLSearchParams[] {
  const asked: URLSearchParams[] = []
  receive('get', '/audit', ({ url }) => {
    asked.push(url.searchParams)
    const place = Number(url.searchParams.get('cursor') ?? 0)
    const next = place + 1 < pages.length ? `http://localhost/audit?cursor=${place + 1}` : null
    return HttpResponse.json({ results: pages[place] ?? [], next })
  })
  return asked
}

const cells = (row: HTMLElement) => [...row.children].map(({ textContent }) => textContent)

test('an owner reads who changed what, from what to what, with which token and from where', async () => {
  serveLog([anEvent({ token: 'laptop' }), anEvent({ id: 2, who: '', address: '', action: 'archived', kind: 'dataset', name: 'pets', before: null, after: null })])
  openApp('/settings/audit')
  expect(cells(await screen.findByRole('row', { name: /Role given/ }))).toEqual([
    when(created), 'miatoken laptop', 'Role givenperson ben', 'role annotator → engineer', '203.0.113.9',
  ])
  // Nobody who signed in did it; with one project, none is shown.
  expect(cells(screen.getByRole('row', { name: /Archived/ }))).toEqual([when(created), 'the platform', 'Archiveddataset pets', '–', '–'])
  expect(screen.queryByRole('columnheader', { name: 'Project' })).toBeNull()
})

test('where there are several projects, each row says which; those of the platform are in none', async () => {
  list('/projects', [aProject('roads'), aProject('rail')])
  serveLog([anEvent(), anEvent({ id: 2, action: 'added', project: null, before: null, after: { role: 'viewer', owns: false } })])
  openApp('/settings/audit')
  const row = await screen.findByRole('row', { name: /Role given/ })
  await waitFor(() => expect(within(row).getByRole('link', { name: 'roads' }).getAttribute('href')).toBe('/app/settings/projects/roads'))
  expect(cells(screen.getByRole('row', { name: /Added/ })).slice(3, 5)).toEqual(['–', 'role viewerowns no'])
})

test('a long value is cut, and opens whole', async () => {
  const long = 'Cars on roads. '.repeat(20).trim()
  serveLog([anEvent({ action: 'changed', kind: 'project', before: { description: '' }, after: { description: long } })])
  openApp('/settings/audit')
  const row = within(await screen.findByRole('row', { name: /Changed/ }))
  expect(row.getByText(/^description/).closest('summary')?.textContent).toMatch(/^description none → Cars on .{1,60}…$/)
  const whole = row.getByText(long)
  expect(whole.closest('details')?.open).toBe(false)
  await userEvent.click(row.getByText(/^description/))
  expect(whole.closest('details')?.open).toBe(true)
})

test('the server searches; the export is of the same, and nothing that fits is said', async () => {
  const asked = serveLog([anEvent()])
  openApp('/settings/audit')
  await screen.findByRole('row', { name: /Role given/ })
  const address = () => screen.getByRole('link', { name: 'Export' }).getAttribute('href')
  expect(address()).toBe('/audit/export')
  await userEvent.type(screen.getByRole('searchbox'), 'role & co')
  await waitFor(() => expect(asked.at(-1)?.get('q')).toBe('role & co'))
  expect(new URLSearchParams(location.search).get('q')).toBe('role & co')
  await waitFor(() => expect(address()).toBe('/audit/export?q=role+%26+co'))
  serveLog([])
  await userEvent.type(screen.getByRole('searchbox'), 'x')
  expect(await screen.findByText('No events match the search.')).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'Export' })).toBeNull()
})

test('older events are read on demand', async () => {
  const asked = serveLog([anEvent()], [anEvent({ id: 2, name: 'cleo' })])
  openApp('/settings/audit')
  await userEvent.click(await screen.findByRole('button', { name: 'Show more events' }))
  expect(await screen.findByRole('row', { name: /cleo/ })).toBeTruthy()
  expect(screen.getByRole('row', { name: /ben/ })).toBeTruthy()
  expect(asked.at(-1)?.get('cursor')).toBe('1')
  expect(screen.queryByRole('button', { name: 'Show more events' })).toBeNull()
})

test('while nothing is written down, the page says what will be', async () => {
  serveLog([])
  openApp('/settings/audit')
  expect(await screen.findByText(/^Nothing is written down yet. Here will be who changed members, roles/)).toBeTruthy()
})

test('a refusal is told in the words of the server', async () => {
  receive('get', '/audit', () => refusal({ status: 403, code: 'permission_denied', detail: 'Only owners read this.' }))
  openApp('/settings/audit')
  expect((await screen.findByRole('alert')).textContent).toContain('The events could not be loaded')
  expect(screen.getByRole('alert').textContent).toContain('Only owners read this.')
})

/** Somebody with these roles is signed in. */
function signIn(...projects: ProjectRole[]): void {
  answer('get', '/session', sessionIn(projects))
  list('/projects', projects.map(({ project }) => aProject(project)))
}

test('it is not for annotators, to whom nothing leads there', async () => {
  answer('get', '/session', sessionOf('annotator'))
  const asked = serveLog([anEvent()])
  openApp('/settings/audit')
  expect(await screen.findByRole('heading', { name: 'No access' })).toBeTruthy()
  expect(screen.getByText(/^Only owners of the project can open this page/)).toBeTruthy()
  expect(asked).toEqual([])
  list('/people/me/tokens', [])
  openApp('/settings')
  expect(await screen.findByRole('link', { name: /^Projects and their members/ })).toBeTruthy()
  expect(screen.queryByRole('link', { name: /^Who changed what/ })).toBeNull()
})

test('the owner of a project gets there from the settings and the palette; the picked project is asked for', async () => {
  signIn({ project: 'roads', role: 'owner' }, { project: 'rail', role: 'viewer' })
  list('/people/me/tokens', [])
  const asked = serveLog([anEvent()])
  openApp('/settings')
  await userEvent.click(await screen.findByRole('link', { name: /^Who changed what/ }))
  expect(await screen.findByRole('heading', { name: 'Audit' })).toBeTruthy()

  await choose(await screen.findByLabelText('Project'), 'roads')
  await waitFor(() => expect(asked.at(-1)?.get('project')).toBe('roads'))
  await waitFor(() => expect(screen.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe('/audit/export?project=roads'))
  await choose(screen.getByLabelText('Project'), 'rail')
  expect(await screen.findByRole('heading', { name: 'No access' })).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Show all projects' }))
  expect(await screen.findByRole('heading', { name: 'Audit' })).toBeTruthy()

  openApp('/')
  await screen.findByRole('navigation', { name: 'Pages' })
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.type(await screen.findByRole('combobox', { name: /^Page, dataset/ }), 'audit{Enter}')
  expect(await screen.findByRole('heading', { name: 'Audit' })).toBeTruthy()
})
