// @vitest-environment jsdom

import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Commit, Dataset, EditPreview, Sample } from '../shared/api/types'
import { currentToasts, dismiss } from '../shared/ui/toast-store'
import { choicesOf, choose } from './testing/choose'
import { aDataset, aSchema } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing, sessionOf } from './testing/server'

const total = 400

serveNothing()
beforeEach(() => {
  // A window that shows some rows of tiles: jsdom lays nothing out.
  vi.stubGlobal('ResizeObserver', class {
    constructor(private readonly tell: (entries: object[]) => void) {}
    observe(target: Element): void {
      this.tell([{ target, contentRect: { width: 600, height: 400 }, borderBoxSize: [{ inlineSize: 600, blockSize: 400 }] }])
    }
    unobserve(): void {}
    disconnect(): void {}
  })
  for (const [name, value] of [['offsetWidth', 600], ['offsetHeight', 400], ['clientWidth', 600], ['clientHeight', 400]] as const) {
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(value)
  }
  Element.prototype.scrollTo = () => undefined
})
afterEach(() => {
  cleanup()
  for (const { id } of currentToasts()) dismiss(id)
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const commit: Commit = {
  version: 3, parent: 2, added: 0, updated: 2, removed: 0, labelled: 2, unchanged: 0, converted: 0, rejected: [], near_duplicates: [], leaks: [], held_out: null, likeness: null,
  exact_duplicates: { in_commit: 0, in_dataset: 0, pairs: [] },
}
const preview: EditPreview = {
  version: 2, samples: 2, changed: 2, unchanged: 0, by_split: { pool: 2 }, by_class: { cat: 1 }, unlabelled: 1,
  moves: [{ from: 'pool', to: 'train', samples: 2 }], refused: [], held_out: 0, leaks: 0,
}

function sample(id: number): Sample {
  return {
    id, key: `${id}.png`, digest: String(id), split: 'train', label: { class: 'cat' }, label_source: 'import', label_facts: null, width: 32, height: 32,
    media_type: 'image/png', original: null, meta: {}, url: `/blobs/${id}`, thumb: `/thumbs/${id}`,
  }
}

const inNothing = { versions: [], models: [], runs: [], mining_jobs: [], score_files: [], queues: [], rounds: [], exports: [], hidden: {} }

/** A dataset of 400 samples in two versions; returns the addresses of the calls for keys of ranges. */
function serve(part: Partial<Dataset> = {}): URL[] {
  const asked: URL[] = []
  const dataset = aDataset({ head: 2, counts: { samples: total, labelled: total, by_split: { train: total }, by_class: {} }, ...part })
  answer('get', '/datasets/pets', dataset)
  list('/datasets/pets/versions', [])
  list('/datasets/pets/slices', [])
  list('/datasets/pets/near-duplicates', [])
  answer('get', '/datasets/pets/schema', { ...aSchema(dataset.classes), history: [] })
  answer('get', '/datasets/pets/filters', { fields: [], objects: [], object_fields: [] })
  receive('get', '/datasets/pets/versions/:number/facets', () => HttpResponse.json({ total, split: { train: total }, label: {}, labelled: { true: total, false: 0 } }))
  const window = (url: URL, most: number) => {
    const offset = Number(url.searchParams.get('offset'))
    const limit = Number(url.searchParams.get('limit') ?? most)
    return Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, place) => sample(offset + place + 1))
  }
  receive('get', '/datasets/pets/versions/:number/samples', ({ url }) => HttpResponse.json({ results: window(url, 200), total, offset: 0, next: null }))
  receive('get', '/datasets/pets/versions/:number/sample-keys', ({ url }) => {
    asked.push(url)
    return HttpResponse.json({ results: window(url, 20_000).map(({ id, key }) => ({ id, key })), total, offset: 0, version: 2 })
  })
  receive('get', '/datasets/pets/samples/:key/lineage', () => HttpResponse.json({ id: 1, key: '', dataset: 'pets', revisions: [], labels: [], contained_in: inNothing }))
  return asked
}

async function openGrid(address = '/datasets/pets'): Promise<HTMLElement> {
  openApp(address)
  const grid = await screen.findByRole('grid', { name: 'Samples' })
  await within(grid).findByRole('checkbox', { name: 'Select 1.png' })
  return grid
}

async function selectTwo(): Promise<HTMLElement> {
  const grid = await openGrid()
  await userEvent.click(within(grid).getByRole('checkbox', { name: 'Select 1.png' }))
  await userEvent.click(within(grid).getByRole('checkbox', { name: 'Select 2.png' }))
  return grid
}

function bar() {
  return within(screen.getByRole('region', { name: 'Selection' }))
}

function toasts(): string {
  return currentToasts().map(({ text }) => text).join(' ')
}

test('tiles are selected by their boxes, by Ctrl, as a range and all at once, and the drawer leaves them selected', async () => {
  const asked = serve()
  const grid = await selectTwo()
  expect(bar().getByRole('status').textContent).toBe('2 samples selected')
  fireEvent.click(within(grid).getAllByRole('gridcell')[4] as HTMLElement, { ctrlKey: true })
  expect(bar().getByRole('status').textContent).toBe('3 samples selected')
  fireEvent.click(within(grid).getAllByRole('gridcell')[6] as HTMLElement, { shiftKey: true })
  expect(bar().getByRole('status').textContent).toBe('5 samples selected')
  expect(asked).toEqual([])

  const tile = within(grid).getAllByRole('gridcell')[0] as HTMLElement
  await userEvent.click(tile)
  const drawer = await screen.findByRole('dialog', { name: '1.png' })
  await userEvent.click(within(drawer).getByRole('button', { name: 'Close' }))
  expect(bar().getByRole('status').textContent).toBe('5 samples selected')

  tile.focus()
  await userEvent.keyboard('{Control>}a{/Control}')
  expect(bar().getByRole('status').textContent).toBe('400 samples selected: all matches')
  await userEvent.keyboard(' ')
  expect(bar().getByRole('status').textContent).toBe('399 samples selected')
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull()
})

test('a range that is not loaded is asked for in one call, by keys and without any', async () => {
  const asked = serve()
  const grid = await openGrid()
  const tile = within(grid).getAllByRole('gridcell')[0] as HTMLElement
  tile.focus()
  await userEvent.keyboard('{Shift>}{End}{/Shift}')
  await waitFor(() => expect(bar().getByRole('status').textContent).toBe('400 samples selected'))
  expect(asked.map(({ searchParams }) => [searchParams.get('offset'), searchParams.get('limit')])).toEqual([['0', '400']])

  await userEvent.click(bar().getByRole('button', { name: 'Clear' }))
  await userEvent.click(within(grid).getByRole('checkbox', { name: 'Select 2.png' }))
  await userEvent.click(bar().getByRole('button', { name: 'Select a range' }))
  await userEvent.click(within(grid).getAllByRole('gridcell')[5] as HTMLElement)
  expect(bar().getByRole('status').textContent).toBe('5 samples selected')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a class by its first letters: the dialog says what changes, commits on the head it saw, and Undo takes it back', async () => {
  serve()
  const asked = receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json(preview))
  const sent = receive('post', '/datasets/pets/edits', () => HttpResponse.json(commit, { status: 201 }))
  const undone = receive('post', '/datasets/pets/reverts', () => HttpResponse.json({ ...commit, version: 4, parent: 3 }, { status: 201 }))
  await selectTwo()
  await userEvent.keyboard('r')
  const dialog = within(await screen.findByRole('dialog', { name: 'Relabel 2 samples' }))
  await dialog.findByRole('option', { name: /dog/ })
  await userEvent.type(dialog.getByRole('combobox'), 'do')
  expect(await dialog.findByText('2 of 2 samples will change.')).toBeTruthy()
  expect(dialog.getByText(/Labels now: cat 1, none 1/)).toBeTruthy()
  expect(dialog.getByText('2 go from pool to train.')).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Message'), 'They bark')
  await userEvent.click(dialog.getByRole('button', { name: 'Relabel 2 samples' }))
  await waitFor(() => expect(toasts()).toBe('2 samples relabelled as dog, in version 3.'))
  const filter = { samples: [1, 2] }
  expect(asked.at(-1)).toEqual({ filter, clear: false, remove: false, label: { class: 'dog' } })
  expect(sent).toEqual([{ filter, clear: false, remove: false, strict: false, message: 'They bark', parent: 2, label: { class: 'dog' } }])
  expect(bar().getByRole('status').textContent).toBe('2 samples selected')
  await waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('gridcell'))

  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(toasts()).toBe('Undone: 2 samples as before, in version 4.'))
  expect(undone).toEqual([{ version: '3', message: '' }])
})

test('an undo that somebody’s commit stands against says so, also by its key', async () => {
  serve()
  receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json(preview))
  receive('post', '/datasets/pets/edits', () => HttpResponse.json(commit, { status: 201 }))
  const detail = "1 sample of version 3 changed again since, like '2.png'. Nothing was written."
  const undone = receive('post', '/datasets/pets/reverts', () => refusal({ status: 409, code: 'changed_since', detail, errors: { '2.png': ['changed again'] } }))
  await selectTwo()
  await userEvent.keyboard('{Delete}')
  await userEvent.click(await screen.findByRole('button', { name: 'Remove 2 samples' }))
  await waitFor(() => expect(toasts()).toContain('2 samples removed, in version 3.'))
  expect(screen.queryByRole('region', { name: 'Selection' })).toBeNull()
  await userEvent.keyboard('{Control>}z{/Control}')
  await waitFor(() => expect(toasts()).toContain(`Not undone. ${detail}`))
  expect(undone).toHaveLength(1)
})

test('a head that moved is told in the dialog, whose numbers are read again', async () => {
  serve()
  const asked = receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json({ ...preview, version: asked.length > 1 ? 5 : 2 }))
  const sent = receive('post', '/datasets/pets/edits', () =>
    sent.length > 1 ? HttpResponse.json(commit, { status: 201 }) : refusal({ status: 409, code: 'stale_parent', detail: 'parent: version 2 is not the head, version 5 is; nothing was written.' }),
  )
  await selectTwo()
  await userEvent.keyboard('m')
  await userEvent.selectOptions(within(await screen.findByRole('dialog')).getByLabelText('Split'), 'val')
  await userEvent.click(await screen.findByRole('button', { name: 'Move 2 samples' }))
  expect((await screen.findByRole('alert')).textContent).toContain('version 5 is; nothing was written')
  await waitFor(() => expect(asked).toHaveLength(2))
  await userEvent.click(await screen.findByRole('button', { name: 'Move 2 samples' }))
  await waitFor(() => expect(toasts()).toContain('2 samples moved to val'))
  expect(sent.map((body) => (body as { parent: number }).parent)).toEqual([2, 5])
})

test('what stays as it is has its number and reason, and a move to test no way back', async () => {
  serve()
  const refused = [{ code: 'no_place', detail: 'meta.drive: this drive lies in train', samples: 1, keys: ['2.png'] }]
  receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json({ ...preview, changed: 1, refused, leaks: 3, moves: [] }))
  const rejected = [{ key: '2.png', code: 'no_place', detail: 'this drive lies in train' }]
  receive('post', '/datasets/pets/edits', () => HttpResponse.json({ ...commit, updated: 1, rejected }, { status: 201 }))
  await selectTwo()
  await userEvent.click(bar().getByRole('button', { name: /^Move/ }))
  await userEvent.selectOptions(within(await screen.findByRole('dialog')).getByLabelText('Split'), 'test')
  expect(screen.getByText(/you can’t undo this/)).toBeTruthy()
  expect((await screen.findByText(/1 stays as it is/)).textContent).toBe('1 stays as it is, such as 2.png: meta.drive: this drive lies in train.')
  expect(screen.getByText(/3 samples of train and val show nearly the same/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Move 1 sample' }))
  await waitFor(() => expect(toasts()).toBe('1 sample moved to test, in version 3. 1 sample could not be changed: this drive lies in train.'))
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('many samples are the work of a job, which the dialog follows', async () => {
  serve()
  receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json(preview))
  const job = {
    id: 7, kind: 'edit', title: 'Relabel', state: 'queued', progress: { done: 0, total: 400, rate: null, eta: null, unit: 'samples' }, error: null, result: null,
    log: [], points: [], next: 0,
  }
  receive('post', '/datasets/pets/edits', () => HttpResponse.json({ job }, { status: 202 }))
  let looks = 0
  receive('get', '/jobs/:id', () => HttpResponse.json((looks += 1) > 2 ? { ...job, state: 'succeeded', result: commit } : job))
  await selectTwo()
  await userEvent.keyboard('1')
  await userEvent.click(await screen.findByRole('button', { name: 'Relabel 2 samples' }))
  expect(await screen.findByText(/the job continues/)).toBeTruthy()
  await waitFor(() => expect(toasts()).toContain('relabelled as cat'))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('tags are given and taken in one commit, for the newest version', async () => {
  serve()
  const done = { ...commit, updated: 1, unchanged: 1 }
  const sent = receive('post', '/datasets/pets/sample-tags', () => {
    answer('get', '/datasets/pets', aDataset({ head: 5 }))
    return sent.length > 1 ? HttpResponse.json(done, { status: 201 }) : refusal({ status: 409, code: 'stale_parent', detail: 'parent: version 2 is not the head.' })
  })
  await selectTwo()
  await userEvent.keyboard('t')
  const dialog = within(await screen.findByRole('dialog', { name: 'Tag 2 samples' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Tag 2 samples' }))
  expect(dialog.getByRole('alert').textContent).toBe('Type a tag to add or to remove.')
  expect(sent).toEqual([])
  await userEvent.type(dialog.getByLabelText('Add tags'), 'night, blurry')
  await userEvent.type(dialog.getByLabelText('Remove tags'), 'day{Enter}')
  expect((await dialog.findByRole('alert')).textContent).toContain('version 2 is not the head')
  await new Promise((resolve) => setTimeout(resolve, 100))
  await userEvent.click(dialog.getByRole('button', { name: 'Tag 2 samples' }))
  await waitFor(() => expect(toasts()).toBe('1 sample tagged anew, in version 3. 1 was so already.'))
  const body = { filter: { samples: [1, 2] }, add: ['night', 'blurry'], remove: ['day'], message: '' }
  expect(sent).toEqual([{ ...body, parent: 2 }, { ...body, parent: 5 }])
})

test('a selection goes into a new queue, or behind what waits in another', async () => {
  serve()
  list('/labeling/queues', [{ id: 4, name: 'second-look', auto_commit: null }, { id: 5, name: 'of-a-round', auto_commit: { grace: 30 } }])
  const added = receive('post', '/labeling/queues/:queue/samples', () => HttpResponse.json({ added: 1, already: 1, left_out: 0 }))
  const made = receive('post', '/labeling/queues', () => HttpResponse.json({ id: 6, counts: { total: 1 }, near_duplicates: { left_out: 1, included: 0 } }, { status: 201 }))
  await selectTwo()
  await userEvent.keyboard('q')
  const queue = await screen.findByLabelText('Queue')
  expect(await choicesOf(queue)).toEqual(['A new queue', 'second-look'])
  await choose(queue, 'second-look')
  expect(screen.queryByLabelText('Name of the queue')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(toasts()).toBe('1 sample added to second-look. 1 was in it already.'))
  expect(added).toEqual([{ filter: { samples: [1, 2] } }])

  await userEvent.keyboard('q')
  expect((await screen.findByLabelText<HTMLInputElement>('Name of the queue')).value).toBe('pets-selection')
  await userEvent.click(screen.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(toasts()).toContain('1 sample in the new queue pets-selection. 1 sample left out'))
  expect(made).toEqual([{ name: 'pets-selection', dataset: 'pets', filter: { samples: [1, 2] }, answers_per_task: 1 }])
  expect(screen.getAllByRole('button', { name: 'Open the queue' }).length).toBeGreaterThan(0)
})

test.each([
  ['viewer', []],
  ['reviewer', ['Tag…', 'Queue…']],
  ['engineer', ['Relabel…', 'Move…', 'Tag…', 'Queue…', 'Remove…']],
] as const)('the role %s is offered what it may do, by button and by key', async (role, offered) => {
  serve()
  answer('get', '/session', sessionOf(role))
  answer('post', '/datasets/pets/edits/preview', preview)
  await selectTwo()
  const names = bar().getAllByRole('button').map((button) => button.textContent.replace(/[A-Z]$/, ''))
  expect(names.filter((name) => name.endsWith('…'))).toEqual(offered)
  await userEvent.keyboard('{Delete}')
  expect(screen.queryByRole('dialog') !== null).toBe(role === 'engineer')
})

test('an older version is only looked at, and leads to the newest with what is selected', async () => {
  serve()
  const grid = await openGrid('/datasets/pets?v=1')
  await userEvent.click(within(grid).getByRole('checkbox', { name: 'Select 1.png' }))
  expect(bar().getByText('Only the newest version can be changed.')).toBeTruthy()
  expect(bar().queryByRole('button', { name: /Relabel/ })).toBeNull()
  await userEvent.keyboard('r')
  expect(screen.queryByRole('dialog')).toBeNull()
  await userEvent.click(bar().getByRole('button', { name: 'Go to v2' }))
  await waitFor(() => expect(bar().getByRole('button', { name: /Relabel/ })).toBeTruthy())
  expect(bar().getByRole('status').textContent).toBe('1 sample selected')
})

test('labels are cleared as one commit, and the dialog says how many of them are used', async () => {
  serve()
  const asked = receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json({ ...preview, moves: [], by_split: { train: 1, test: 1, pool: 3 } }))
  const sent = receive('post', '/datasets/pets/edits', () => HttpResponse.json(commit, { status: 201 }))
  await selectTwo()
  await userEvent.click(bar().getByRole('button', { name: /Relabel/ }))
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Clear the label instead' }))
  expect(screen.queryByRole('combobox', { name: 'Class' })).toBeNull()
  expect(await screen.findByText('1 is in test: without a label, it is neither trained on nor evaluated.')).toBeTruthy()
  expect(screen.queryByText(/in pool/)).toBeNull()
  await userEvent.click(await screen.findByRole('button', { name: 'Clear the labels of 2 samples' }))
  await waitFor(() => expect(toasts()).toContain('2 samples without a label, in version 3.'))
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy()
  expect(asked.at(-1)).toEqual({ filter: { samples: [1, 2] }, clear: true, remove: false })
  expect(sent).toEqual([expect.objectContaining({ clear: true, parent: 2 })])
})

test('where an image has several objects, labels are only cleared, and a queue is named as the way to label', async () => {
  serve({ task: 'detection' })
  receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json(preview))
  await selectTwo()
  await userEvent.click(bar().getByRole('button', { name: /Clear labels…/ }))
  expect(await screen.findByText(/may have several objects: send it to a queue/)).toBeTruthy()
  expect(screen.queryByRole('checkbox', { name: 'Clear the label instead' })).toBeNull()
  expect(await screen.findByRole('button', { name: 'Clear the labels of 2 samples' })).toBeTruthy()
})

test('where an image has several classes, some are added and others removed, or all labels are set', async () => {
  serve({ task: 'multilabel' })
  const asked = receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json({ ...preview, moves: [] }))
  const sent = receive('post', '/datasets/pets/edits', () => HttpResponse.json(commit, { status: 201 }))
  await selectTwo()
  await userEvent.keyboard('r')
  const dialog = within(await screen.findByRole('dialog', { name: 'Relabel 2 samples' }))
  await userEvent.click(await dialog.findByRole('button', { name: 'Add cat' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Add dog' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Remove dog' }))
  await userEvent.click(await dialog.findByRole('button', { name: 'Relabel 2 samples' }))
  await waitFor(() => expect(toasts()).toContain('2 samples relabelled: + cat, − dog, in version 3.'))
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy()
  expect(sent).toEqual([expect.objectContaining({ add_classes: ['cat'], remove_classes: ['dog'], parent: 2 })])

  await userEvent.click(bar().getByRole('button', { name: /Relabel…/ }))
  await userEvent.selectOptions(await screen.findByLabelText('What changes'), 'Set exactly these classes')
  await userEvent.click(await screen.findByRole('checkbox', { name: 'dog' }))
  await waitFor(() => expect(asked.at(-1)).toEqual(expect.objectContaining({ label: { classes: ['dog'] } })))
  await userEvent.selectOptions(screen.getByLabelText('What changes'), 'Clear the labels')
  expect(await screen.findByRole('button', { name: 'Clear the labels of 2 samples' })).toBeTruthy()
})

test('Back closes the drawer and leaves the filter; closed by its button, it leaves no entry in the history', async () => {
  serve()
  openApp('/datasets/pets')
  await screen.findAllByRole('gridcell')
  const filters = within(screen.getByRole('complementary', { name: 'Filters' }))
  await userEvent.click(await filters.findByRole('button', { name: /train/ }))
  await waitFor(() => expect(location.search).toBe('?split=train'))
  for (const close of ['Back', 'Close']) {
    await userEvent.click((await screen.findAllByRole('gridcell'))[2] as HTMLElement)
    const drawer = await screen.findByRole('dialog', { name: '3.png' })
    if (close === 'Back') history.back()
    else await userEvent.click(within(drawer).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(location.search).toBe('?split=train')
  }
  history.back()
  await waitFor(() => expect(location.search).toBe(''))
})

test('the drawer changes its one sample in the same way', async () => {
  serve()
  receive('post', '/datasets/pets/edits/preview', () => HttpResponse.json({ ...preview, samples: 1, changed: 1 }))
  const sent = receive('post', '/datasets/pets/edits', () => HttpResponse.json({ ...commit, updated: 1 }, { status: 201 }))
  const grid = await openGrid()
  await userEvent.click(within(grid).getAllByRole('gridcell')[2] as HTMLElement)
  const drawer = await screen.findByRole('dialog', { name: '3.png' })
  await userEvent.click(within(drawer).getByRole('button', { name: /Relabel/ }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Relabel 1 sample' }))
  await dialog.findByRole('option', { name: /dog/ })
  await userEvent.type(dialog.getByRole('combobox'), '{ArrowDown}{ArrowDown}')
  await userEvent.click(await dialog.findByRole('button', { name: 'Relabel 1 sample' }))
  await waitFor(() => expect(toasts()).toContain('1 sample relabelled as dog'))
  expect(sent).toMatchObject([{ filter: { samples: [3] }, label: { class: 'dog' } }])
  expect(screen.getByRole('dialog', { name: '3.png' })).toBeTruthy()
  await userEvent.keyboard('{ArrowRight}')
  expect(await screen.findByRole('dialog', { name: '4.png' })).toBeTruthy()
})

test('a version is reverted from its page, and what stands against it is told there', async () => {
  serve()
  const version = {
    version: 2, parent: 1, message: '', author: 'owner', created: '2026-11-01T12:00:00Z', added: 3, updated: 9, removed: 0, labelled: 9, erased: 0, schema_version: 1,
    counts: aDataset().counts, names: [], merged: null, labelling: null,
  }
  list('/datasets/pets/versions', [version, { ...version, version: 1, parent: null }])
  list('/datasets/pets/tags', [])
  list('/datasets/pets/aliases', [])
  const sent = receive('post', '/datasets/pets/reverts', () =>
    sent.length > 1 ? HttpResponse.json({ ...commit, version: 3 }, { status: 201 }) : refusal({ status: 409, code: 'changed_since', detail: '1 sample of version 2 changed again since.' }),
  )
  openApp('/datasets/pets/versions')
  await userEvent.click(await screen.findByRole('button', { name: 'Revert…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Revert v2' }))
  expect(dialog.getByText('It removes 3 samples that v2 added.')).toBeDefined()
  await userEvent.click(dialog.getByRole('button', { name: 'Revert 12 samples' }))
  expect((await dialog.findByRole('alert')).textContent).toContain('changed again since')
  await userEvent.click(dialog.getByRole('button', { name: 'Revert 12 samples' }))
  await waitFor(() => expect(toasts()).toBe('v2 is reverted, in v3.'))
  expect(sent.at(-1)).toEqual({ version: '2', message: '' })
  await userEvent.click(screen.getByRole('button', { name: 'v1' }))
  expect(screen.queryByRole('button', { name: 'Revert…' })).toBeNull()
})

test('boxes are drawn on the tiles of a dataset that holds some, and hidden by a key', async () => {
  serve({ task: 'detection', classes: ['car'] })
  const boxed = (id: number): Sample => ({ ...sample(id), label: { boxes: [{ class: 'car', box: [1, 2, 9, 12] }] } })
  answer('get', '/datasets/pets/versions/head/samples', { results: [boxed(1), sample(2)], total: 2, offset: 0, next: null })
  const grid = await openGrid()
  expect([...grid.querySelectorAll('.box-layer .line')].map((line) => line.getAttribute('height'))).toEqual(['10'])
  await userEvent.keyboard('h')
  expect(grid.querySelector('.box-layer')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: /^Boxes/ }))
  expect(grid.querySelector('.box-layer')).toBeTruthy()
})

test('the keys of the page are listed', async () => {
  serve()
  await openGrid()
  await userEvent.keyboard('?')
  const keys = within(await screen.findByRole('dialog', { name: 'Keys' }))
  expect(keys.getByText('Relabel the selection')).toBeTruthy()
  expect(keys.getByText('Select all matches of the filter')).toBeTruthy()
})
