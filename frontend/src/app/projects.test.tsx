// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, expect, test } from 'vitest'

import type { ProjectRole, Role } from '../shared/access/types'
import { choicesOf, choose } from './testing/choose'
import { aDataset, aModel, aProject } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing, sessionIn, sessionOf } from './testing/server'

serveNothing()
beforeEach(() => answer('put', '/session/preferences', {}))
afterEach(() => {
  cleanup()
  localStorage.clear()
})

const since = '2026-11-01T12:00:00Z'
const roads = aProject('roads', { id: 3, description: 'Cars on roads', members: 2 })
const rail = aProject('rail', { id: 4 })
const member = (id: number, username: string, role: Role) => ({ id, username, role, active: true, service: false, since })

/** Somebody is signed in who is in these projects, which are all they know of; what they pick is remembered, as by the server. */
function signIn(...projects: ProjectRole[]): void {
  let picked: Record<string, unknown> = {}
  receive('get', '/session', () => HttpResponse.json(sessionIn(projects, picked)))
  receive('put', '/session/preferences', ({ body }) => {
    picked = body as Record<string, unknown>
    return HttpResponse.json(picked)
  })
  list('/projects', projects.map(({ project }) => aProject(project)))
}

/** What the list at an address was asked for, a row for each project. */
function listed(address: string, rows: readonly { project: string }[]): URLSearchParams[] {
  const asked: URLSearchParams[] = []
  receive('get', address, ({ url }) => {
    asked.push(url.searchParams)
    const project = url.searchParams.get('project')
    return HttpResponse.json({ results: rows.filter((row) => project === null || row.project === project), next: null })
  })
  return asked
}

test('with one project nothing is shown or asked of it', async () => {
  signIn({ project: 'roads', role: 'engineer' })
  const asked = listed('/datasets', [aDataset({ project: 'roads' })])
  openApp('/datasets')
  expect(await screen.findByRole('row', { name: /pets/ })).toBeTruthy()
  expect(screen.queryByLabelText('Project')).toBeNull()
  expect(screen.queryByRole('columnheader', { name: 'Project' })).toBeNull()
  expect(asked.every((query) => !query.has('project'))).toBe(true)
  openApp('/datasets/new')
  expect(await screen.findByLabelText('Name')).toBeTruthy()
  expect(screen.queryByLabelText('Project')).toBeNull()
})

test('an empty list of the picked project names it', async () => {
  signIn({ project: 'roads', role: 'engineer' }, { project: 'rail', role: 'viewer' })
  listed('/datasets', [aDataset({ project: 'roads' })])
  openApp('/datasets')
  await screen.findByRole('row', { name: /pets roads/ })
  await choose(await screen.findByLabelText('Project'), 'rail')
  expect(await screen.findByText('No datasets in the project rail yet.')).toBeTruthy()
})

test('the picked project narrows the lists and decides what may be done; the pick outlives the page', async () => {
  signIn({ project: 'roads', role: 'engineer' }, { project: 'rail', role: 'viewer' })
  const asked = listed('/datasets', [aDataset({ project: 'roads' }), aDataset({ id: 2, name: 'sleepers', project: 'rail' })])
  openApp('/datasets')
  expect(await screen.findByRole('row', { name: /pets roads/ })).toBeTruthy()
  expect(screen.getByRole('row', { name: /sleepers rail/ })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Create a dataset' })).toBeTruthy()
  // The menu of a row goes by the role in the project of that row.
  expect(await screen.findByRole('button', { name: 'More for the dataset pets' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'More for the dataset sleepers' })).toBeNull()

  await choose(await screen.findByLabelText('Project'), 'rail')
  await waitFor(() => expect(screen.queryByRole('row', { name: /pets/ })).toBeNull())
  expect(await screen.findByRole('row', { name: /sleepers rail/ })).toBeTruthy()
  expect(asked.at(-1)?.get('project')).toBe('rail')
  expect(screen.queryByRole('link', { name: 'Create a dataset' })).toBeNull()
  expect(within(screen.getByRole('navigation', { name: 'Pages' })).queryByRole('link', { name: 'Label' })).toBeNull()

  openApp('/label')
  expect(await screen.findByRole('heading', { name: 'No access' })).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Show all projects' }))
  expect(await screen.findByRole('heading', { name: 'Label' })).toBeTruthy()
})

test.each(['/models', '/pipelines', '/backtests', '/sweeps', '/labeling/queues', '/mining/jobs', '/jobs'])('the list %s is asked of the picked project', async (address) => {
  localStorage.setItem('motherlode.preferences', JSON.stringify({ values: { project: 'rail' }, unsent: false }))
  answer('get', '/session', sessionIn([{ project: 'roads', role: 'engineer' }, { project: 'rail', role: 'engineer' }], { project: 'rail' }))
  list('/projects', [roads, rail])
  const asked = listed(address, [])
  openApp({ '/labeling/queues': '/label', '/mining/jobs': '/mining' }[address] ?? address)
  await waitFor(() => expect(asked.some((query) => query.get('project') === 'rail')).toBe(true))
})

test('something new goes into the picked project unless another is chosen; only those in which one builds are offered', async () => {
  signIn({ project: 'roads', role: 'engineer' }, { project: 'rail', role: 'owner' }, { project: 'sea', role: 'viewer' })
  const sent = receive('post', '/datasets', () => HttpResponse.json(aDataset(), { status: 201 }))
  openApp('/datasets/new')
  const form = within(await screen.findByRole('main'))
  expect((await choicesOf(form.getByLabelText('Project'))).sort()).toEqual(['rail', 'roads'])
  await waitFor(() => expect(screen.getAllByLabelText('Project')).toHaveLength(2))
  await choose(screen.getAllByLabelText('Project')[0] as HTMLElement, 'roads')
  expect(form.getByLabelText<HTMLInputElement>('Project').value).toBe('roads')
  await userEvent.type(form.getByLabelText('Name'), 'trams')
  await userEvent.type(form.getByLabelText(/^Classes/), 'tram')
  await choose(form.getByLabelText('Project'), 'rail')
  await userEvent.click(form.getByRole('button', { name: 'Create it empty' }))
  await waitFor(() => expect(sent).toMatchObject([{ name: 'trams', project: 'rail' }]))
})

test('what somebody may only read is not offered to be mined', async () => {
  signIn({ project: 'roads', role: 'engineer' }, { project: 'rail', role: 'viewer' })
  list('/datasets', [aDataset({ project: 'roads' }), aDataset({ id: 2, name: 'sleepers', project: 'rail' })])
  openApp('/mining/new')
  const field = await within(await screen.findByRole('main')).findByLabelText('Dataset')
  expect(await choicesOf(field)).toEqual(['pets', '-sleepers (your role in rail only reads)'])
})

test('a model is proposed for the project of its dataset', async () => {
  answer('get', '/session', sessionOf('owner'))
  list('/projects', [roads, rail])
  list('/datasets', [aDataset({ project: 'rail' })])
  const sent = receive('post', '/models', () => HttpResponse.json(aModel(), { status: 201 }))
  openApp('/models')
  await userEvent.click((await screen.findAllByRole('button', { name: 'New model…' }))[0] as HTMLElement)
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.type(dialog.getByLabelText('Name'), 'trams')
  await choose(dialog.getByLabelText('Classes from'), 'pets')
  await waitFor(() => expect(dialog.getByLabelText<HTMLInputElement>('Project').value).toBe('rail'))
  await userEvent.click(dialog.getByRole('button', { name: 'Create the model' }))
  await waitFor(() => expect(sent).toMatchObject([{ name: 'trams', project: 'rail' }]))
})

test('an owner of the platform makes a project and gets to its page; a refusal stands at its field', async () => {
  answer('get', '/session', sessionOf('owner'))
  list('/projects', [roads])
  answer('get', '/projects/rail', rail)
  list('/projects/rail/members', [])
  let taken = true
  const sent = receive('post', '/projects', () => {
    if (!taken) return HttpResponse.json(rail, { status: 201 })
    taken = false
    return refusal({ status: 400, detail: 'The request is invalid.', errors: { name: ['must not be a number, which would be read as an id'] } })
  })
  openApp('/settings/projects')
  expect((await screen.findByRole('row', { name: /roads/ })).textContent).toContain('Cars on roads2owner of the platform')
  await userEvent.click(screen.getByRole('button', { name: 'New project' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'New project' }))
  await userEvent.type(dialog.getByLabelText('Name'), '7')
  await userEvent.click(dialog.getByRole('button', { name: 'Create the project' }))
  expect(await dialog.findByText('must not be a number, which would be read as an id.')).toBeTruthy()
  await userEvent.clear(dialog.getByLabelText('Name'))
  await userEvent.type(dialog.getByLabelText('Name'), 'rail')
  await userEvent.click(dialog.getByRole('button', { name: 'Create the project' }))
  expect(await screen.findByRole('heading', { name: 'rail' })).toBeTruthy()
  expect(sent.at(-1)).toEqual({ name: 'rail', description: '' })
  expect(await screen.findByText(/Nobody is in this project yet/)).toBeTruthy()
})

test('a project that held something is not deleted, in the words of the server', async () => {
  answer('get', '/session', sessionOf('owner'))
  list('/projects', [roads])
  answer('get', '/projects/roads', roads)
  list('/projects/roads/members', [])
  receive('delete', '/projects/3', () => refusal({ status: 409, code: 'project_in_use', detail: 'The project ‘roads’ holds datasets: a project that held something stays.' }))
  openApp('/settings/projects/roads')
  await userEvent.click(await screen.findByRole('button', { name: 'Delete…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete the project roads?' }))
  expect(dialog.getByText(/2 people lose their role in it/)).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: 'Delete the project' }))
  expect((await dialog.findByRole('alert')).textContent).toContain('a project that held something stays')
})

test('an owner of a project adds somebody, changes a role, removes and takes that back', async () => {
  signIn({ project: 'roads', role: 'owner' })
  answer('get', '/projects/roads', roads)
  list('/projects/roads/members', [member(1, 'owner', 'owner'), member(7, 'ana', 'annotator')])
  const asked: (string | null)[] = []
  receive('get', '/people', ({ url }) => {
    asked.push(url.searchParams.get('q'))
    const people = [person(7, 'ana', [{ project: 'roads', role: 'annotator' }]), person(8, 'ben', [{ project: 'rail', role: 'viewer' }]), person(9, 'max', [], 'owner')]
    return HttpResponse.json({ results: people, next: null })
  })
  const sent: unknown[] = []
  receive('put', '/projects/roads/members/:person', ({ params, body }) => {
    if (params.person === 'nobody') return refusal({ status: 404, code: 'person_unknown', detail: 'There is nobody called ‘nobody’.' })
    sent.push(['put', params.person, body])
    return HttpResponse.json(member(8, 'ben', 'viewer'))
  })
  receive('delete', '/projects/roads/members/:person', ({ params }) => {
    sent.push(['delete', params.person])
    return new HttpResponse(null, { status: 204 })
  })
  openApp('/settings/projects/roads')
  expect(await screen.findByRole('row', { name: /ana/ })).toBeTruthy()
  // Nobody changes their own role, nor does an owner of a project delete it.
  expect(screen.getAllByRole('combobox')).toHaveLength(1)
  expect(screen.queryByRole('button', { name: 'Delete…' })).toBeNull()

  await userEvent.click(screen.getByRole('button', { name: 'Add somebody' }))
  const dialog = within(await screen.findByRole('dialog'))
  // Who is in it already, as owners of the platform are in all, can't be added.
  expect(await choicesOf(dialog.getByLabelText('Username'))).toEqual(['-ana (is a member already)', 'ben', '-max (owns the platform, so every project)'])
  await userEvent.type(dialog.getByLabelText('Username'), 'nobody')
  await waitFor(() => expect(asked.at(-1)).toBe('nobody'))
  await userEvent.click(dialog.getByRole('button', { name: 'Add them' }))
  expect((await dialog.findByRole('alert')).textContent).toContain('There is nobody called')
  await userEvent.clear(dialog.getByLabelText('Username'))
  await userEvent.type(dialog.getByLabelText('Username'), 'ben')
  await userEvent.click(dialog.getByLabelText(/^Viewer/))
  await userEvent.click(dialog.getByRole('button', { name: 'Add them' }))
  expect(await screen.findByText('ben is a viewer in roads now')).toBeTruthy()

  await userEvent.selectOptions(screen.getByLabelText('Role of ana'), 'Engineer')
  expect(await screen.findByText('ana is an engineer in roads now')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: /^Remove ?ana/ }))
  expect(await screen.findByText('ana is no longer in roads')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() =>
    expect(sent).toEqual([
      ['put', 'ben', { role: 'viewer' }],
      ['put', '7', { role: 'engineer' }],
      ['delete', '7'],
      ['put', '7', { role: 'annotator' }],
    ]),
  )
})

test('a member looks at who is in a project', async () => {
  signIn({ project: 'roads', role: 'annotator' })
  answer('get', '/projects/roads', roads)
  list('/projects/roads/members', [member(7, 'ana', 'viewer')])
  openApp('/settings/projects/roads')
  expect((await screen.findByRole('row', { name: /ana/ })).textContent).toContain('ana Viewer')
  for (const name of ['Add somebody', 'Change…', 'Delete…', /^Remove/]) expect(screen.queryByRole('button', { name })).toBeNull()
})

const person = (id: number, username: string, projects: ProjectRole[], role: Role | null = projects[0]?.role ?? null) => ({
  id, username, role, projects, active: true, email: null, provider: false, service: false, created: since, last_seen: null, tokens: 1,
})

test('people in several projects are said to be, and lead to where their roles are changed', async () => {
  answer('get', '/session', sessionOf('owner'))
  list('/projects', [roads, rail])
  list('/people', [
    person(1, 'owner', [], 'owner'),
    person(7, 'ana', [{ project: 'roads', role: 'engineer' }, { project: 'rail', role: 'viewer' }]),
    person(8, 'ben', [{ project: 'rail', role: 'annotator' }]),
    person(9, 'cleo', []),
  ])
  const sent = receive('patch', '/people/:id', () => HttpResponse.json(person(8, 'ben', [])))
  openApp('/people')
  const ana = await screen.findByRole('row', { name: /ana/ })
  await waitFor(() => expect(ana.textContent).toContain('engineer in roads, viewer in rail'))
  expect(within(ana).getByRole('link', { name: 'roads' }).getAttribute('href')).toBe('/app/settings/projects/roads')
  expect(screen.queryByLabelText('Role of ana')).toBeNull()
  expect(screen.getByRole('row', { name: /cleo/ }).textContent).toContain('in no project yet')

  await userEvent.selectOptions(screen.getByLabelText('Role of ben'), 'Reviewer')
  expect(await screen.findByText('ben is a reviewer in rail now')).toBeTruthy()
  await userEvent.selectOptions(screen.getByLabelText('Role of ben'), 'Owner of the platform')
  await waitFor(() => expect(sent).toEqual([{ role: 'reviewer', project: 'rail' }, { role: 'owner' }]))
})

test('where there are several projects, somebody new gets a role in one of them, or all as an owner of the platform', async () => {
  answer('get', '/session', sessionOf('owner'))
  list('/projects', [roads, rail])
  list('/people', [person(1, 'owner', [], 'owner')])
  const sent = receive('post', '/people', () => HttpResponse.json({ ...person(5, 'dora', []), token: 'ml_x' }, { status: 201 }))
  openApp('/people')
  await userEvent.click(await screen.findByRole('button', { name: 'Add a person' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.type(dialog.getByLabelText('Username'), 'dora')
  const add = dialog.getByRole('button', { name: 'Add and create a token' })
  await userEvent.click(add)
  expect(document.activeElement).toBe(dialog.getByLabelText('Project'))
  expect(dialog.getByText('Fill this in.')).toBeTruthy()
  expect(sent).toEqual([])
  await choose(dialog.getByLabelText('Project'), 'rail')
  await userEvent.click(add)
  await waitFor(() => expect(sent).toEqual([{ username: 'dora', role: 'annotator', project: 'rail' }]))
})
