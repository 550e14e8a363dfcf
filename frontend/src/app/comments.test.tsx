// @vitest-environment jsdom

import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { Comment, ListedComment } from '../shared/comments/types'
import { FakeQueue } from './testing/fake-queue'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const people = ['ana', 'owner']

/** The comments of task 1: what is written joins them. */
function serveComments(first: Comment[] = [], hidden = 0): { rows: Comment[]; reads: unknown[]; written: unknown[] } {
  const rows = [...first]
  const reads = receive('get', '/labeling/tasks/:task/comments', () => HttpResponse.json({ results: rows, people, hidden, next: null }))
  const written = receive('post', '/labeling/tasks/:task/comments', ({ body }) => {
    const { text, x, y } = body as Pick<Comment, 'text' | 'x' | 'y'>
    if (text.includes('@nobody')) return refusal({ status: 400, detail: 'text: nobody', errors: { text: ["nobody called 'nobody' reads the comments of this queue: mention @ana, @owner, or leave out the @"] } })
    const made = aComment(rows.length + 1, { text, x, y })
    rows.push(made)
    return HttpResponse.json(made, { status: 201 })
  })
  return { rows, reads, written }
}

function aComment(id: number, more: Partial<Comment> = {}): Comment {
  return {
    id, task: 1, author: { id: 1, username: 'owner' }, text: 'Is this a cat?', x: null, y: null, mentions: [], created: '2026-11-26T06:00:00Z',
    resolved_by: null, resolved_at: null, deletable: true, ...more,
  }
}

async function sitDown(first = 1): Promise<void> {
  new FakeQueue('spoken-of', 2, first)
  openApp('/label/spoken-of')
  await screen.findByRole('img', { name: `Sample ${String(first)}.png` })
}

const panel = () => screen.getByRole('region', { name: /^Comments/ })
const box = () => within(panel()).findByRole('textbox', { name: 'Comment' })

test('a comment is written by keys, and nothing is read before somebody asks', async () => {
  const { reads, written } = serveComments()
  await sitDown()
  expect(reads).toHaveLength(0)
  await userEvent.keyboard('t')
  expect(document.activeElement).toBe(await box())
  await screen.findByRole('option', { name: 'ana' })
  await userEvent.keyboard('1 is blurred')
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Mention somebody' }), 'ana')
  await userEvent.keyboard('look{Control>}{Enter}{/Control}')
  await within(panel()).findByText('1 is blurred @ana look')
  expect(written).toEqual([{ text: '1 is blurred @ana look', x: null, y: null }])
  expect(await box()).toHaveProperty('value', '')
  expect(screen.getByRole('img', { name: 'Sample 1.png' })).toBeDefined()
})

test('who is not known is said at the text, which stays', async () => {
  serveComments()
  await sitDown()
  await userEvent.keyboard('t')
  await userEvent.type(await box(), '@nobody look')
  await userEvent.click(screen.getByRole('button', { name: /^Send/ }))
  await screen.findByText(/mention @ana, @owner/)
  expect(await box()).toHaveProperty('value', '@nobody look')
})

test('a place is chosen by arrows or a click, Escape gives up, and the pin leads to its comment', async () => {
  const { written } = serveComments()
  await sitDown()
  await userEvent.keyboard('t')
  await userEvent.type(await box(), 'this corner')
  const place = screen.getByRole('button', { name: 'Place on the image' })
  await userEvent.click(place)
  fireEvent.click(screen.getByRole('button', { name: /^Send/ }))
  expect(screen.getByText('Place it on the image first, or give up placing.')).toBeTruthy()
  expect(written).toEqual([])
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByText('Place it on the image first, or give up placing.')).toBeNull()
  expect(screen.queryByText(/^Placed at/)).toBeNull()
  await userEvent.click(place)
  await userEvent.keyboard('{Shift>}{ArrowLeft}{/Shift}{ArrowDown}{Enter}')
  await screen.findByText('Placed at 40 %, 51 %.')
  await userEvent.click(screen.getByRole('button', { name: 'Place it elsewhere' }))
  const layer = document.querySelector<HTMLElement>('.pin-layer.placing')
  if (!layer) throw new Error('no layer to click on')
  layer.getBoundingClientRect = () => new DOMRect(100, 50, 200, 100)
  fireEvent(layer, new MouseEvent('pointerup', { bubbles: true, clientX: 150, clientY: 125 }))
  await screen.findByText('Placed at 25 %, 75 %.')
  await userEvent.click(screen.getByRole('button', { name: /^Send/ }))
  await userEvent.click(await screen.findByRole('button', { name: 'Comment 1 by owner' }))
  expect(document.activeElement?.textContent).toContain('this corner')
  expect(written).toEqual([{ text: 'this corner', x: 0.25, y: 0.75 }])
})

test('what is written stays with its image', async () => {
  serveComments()
  await sitDown(11)
  await userEvent.keyboard('t')
  await userEvent.type(await box(), 'half a sent')
  await userEvent.keyboard('{Escape}1')
  await screen.findByRole('img', { name: 'Sample 12.png' })
  expect(await box()).toHaveProperty('value', '')
  await userEvent.keyboard('{Backspace}')
  await screen.findByRole('img', { name: 'Sample 11.png' })
  expect(await box()).toHaveProperty('value', 'half a sent')
})

test('a comment is resolved, reopened and deleted', async () => {
  const { rows } = serveComments([aComment(1)])
  receive('patch', '/labeling/comments/1', ({ body }) => {
    const { resolved } = body as { resolved: boolean }
    rows[0] = aComment(1, resolved ? { resolved_by: 'ana', resolved_at: '2026-11-26T07:00:00Z' } : {})
    return HttpResponse.json(rows[0])
  })
  receive('delete', '/labeling/comments/1', () => {
    rows.length = 0
    return new HttpResponse(null, { status: 204 })
  })
  await sitDown()
  await userEvent.keyboard('t')
  await userEvent.click(await screen.findByRole('button', { name: /^Resolve\s*comment 1$/ }))
  await screen.findByText('1 resolved')
  await screen.findByText('Resolved by ana')
  await userEvent.click(screen.getByRole('button', { name: /^Reopen\s*comment 1$/ }))
  await screen.findByText('1 open')
  await userEvent.click(await screen.findByRole('button', { name: /^Delete\s*comment 1$/ }))
  await userEvent.click(screen.getByRole('button', { name: /^Delete for good\s*comment 1$/ }))
  await waitFor(() => expect(screen.queryByText('Is this a cat?')).toBeNull())
})

test('my work shows who mentions me, with the image, and nothing when nobody does', async () => {
  openApp('/')
  await screen.findByRole('heading', { name: 'To label now' })
  expect(screen.queryByText('Mentions of you')).toBeNull()
  const comment = aComment(1, { text: 'Is this a cat, @owner?', x: 0.5, y: 0.5, author: { id: 2, username: 'ana' } })
  const listed: ListedComment = {
    ...comment, queue: 'night', queue_id: 7, dataset: 'pets', url: '/blobs/1', review: 3,
    sample: { id: 1, key: '1.png', digest: '1', width: 32, height: 32, thumb: '/thumbs/1', meta: {} },
  }
  list('/labeling/comments', [listed])
  answer('get', '/labeling/tasks/1/comments', { results: [comment], people, hidden: 0, next: null })
  openApp('/')
  await userEvent.click(await screen.findByRole('button', { name: /^Open →\s*the comment by ana on 1.png$/ }))
  const sheet = await screen.findByRole('dialog', { name: '1.png of night' })
  expect(within(sheet).getByRole('img', { name: 'Sample 1.png' })).toBeDefined()
  await within(sheet).findByRole('button', { name: 'Comment 1 by ana' })
  await userEvent.type(await within(sheet).findByRole('textbox', { name: 'Comment' }), 'Yes{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: /^Open →/ }))
  expect(await screen.findByRole('textbox', { name: 'Comment' })).toHaveProperty('value', 'Yes')
  expect(screen.getByRole('link', { name: 'Review this image' }).getAttribute('href')).toContain('/review/7?at=3')
})

test('a tile of the grid tells of its comments, and a key opens them', async () => {
  const { written } = serveComments([aComment(1), aComment(2, { text: 'Blurred.', resolved_at: '2026-11-26T07:00:00Z', resolved_by: 'ana' })])
  new FakeQueue('tiles', 2, 21, { kind: 'grid', tasks: { comments: 1, comments_resolved: 1 } })
  openApp('/label/tiles')
  const tile = await screen.findByRole('button', { name: /^21.png.*2 comments, 1 open/ })
  await waitFor(() => expect(document.activeElement).toBe(tile))
  await userEvent.keyboard('t')
  const sheet = within(await screen.findByRole('dialog', { name: '21.png' }))
  await sheet.findByText('Is this a cat?')
  const words = await sheet.findByRole('textbox', { name: 'Comment' })
  await waitFor(() => expect(document.activeElement).toBe(words))
  await userEvent.keyboard('1 is a dog{Control>}{Enter}{/Control}')
  await sheet.findByText('1 is a dog')
  expect(written).toHaveLength(1)
  await userEvent.keyboard('{Escape}{Escape}')
  await screen.findByRole('button', { name: /^21.png.*3 comments, 2 open/ })
  await userEvent.keyboard('?')
  expect(within(await screen.findByRole('dialog', { name: 'Keys' })).getByText('Show the comments and write one')).toBeDefined()
  await userEvent.keyboard('{Escape}')
})

test('what others wrote is announced before the answer, and not shown', async () => {
  serveComments([], 3)
  new FakeQueue('alone', 1, 31, { tasks: { comments_hidden: 3 } })
  openApp('/label/alone')
  expect(await screen.findByText('3 comments by others show after you have answered.')).toBeDefined()
  await userEvent.keyboard('t')
  await box()
  expect(within(panel()).queryAllByRole('listitem')).toEqual([])
})
