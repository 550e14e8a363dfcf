// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { Review } from '../features/review/types'
import { openApp } from './testing/open-app'
import { FakeQueue } from './testing/fake-queue'
import { answer, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

function aReview(part: Partial<Review> = {}): Review {
  const said = (id: number, username: string, name: string) => ({
    id, author: { id, username }, value: { class: name }, reason: '', seconds: 2, shown_suggestion: false, created: '2026-11-01T12:00:00Z',
  })
  return {
    id: 3, queue: 'night', queue_id: 1, dataset: 'digits', classes: ['zero', 'one'], kind: 'class', task: 12,
    sample: { id: 4, key: 'a.png', digest: 'ab'.repeat(16), width: 28, height: 28, thumb: '/blobs/1', meta: {} }, url: '/blobs/1',
    reason: 'disagreement', note: '', answers: [said(1, 'ann', 'zero'), said(2, 'bob', 'one')], suggestion: null, consensus: null, iou: [], state: 'open',
    decision: null, decision_reason: '', answer: null, decided_by: null, decided: null, history: [], created: '2026-11-01T12:00:00Z', ...part,
  }
}

test('who decides second sees what stands, and can reopen it', async () => {
  let review = aReview()
  new FakeQueue('night', 0)
  answer('get', '/labeling/tasks/12/comments', { results: [], next: null, mentionable: [] })
  receive('get', '/labeling/reviews', ({ url }) => HttpResponse.json({ results: url.searchParams.get('state') === review.state ? [review] : [], next: null }))
  receive('get', '/labeling/reviews/3', () => HttpResponse.json(review))
  receive('post', '/labeling/reviews/3/decide', () => {
    review = aReview({ state: 'done', decision: { class: 'one' }, decided_by: { id: 9, username: 'rev' } })
    return refusal({ status: 409, code: 'already_decided', detail: 'rev has decided this review already: reopen it to decide anew.' })
  })
  const reopened = receive('post', '/labeling/reviews/3/reopen', () => {
    review = aReview()
    return HttpResponse.json(review)
  })
  openApp('/review/night?at=3')
  const user = userEvent.setup()
  await screen.findByRole('img', { name: 'Sample a.png' })
  await user.keyboard('1')
  await screen.findByText(/Not saved – a.png: zero. rev has decided this review already/)
  expect(screen.queryByText('All decisions saved')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Show it' }))
  const decision = within(await screen.findByRole('region', { name: 'Decision' }))
  expect(decision.getByText(/by rev/)).toBeDefined()
  await user.click(decision.getByRole('button', { name: 'Reopen' }))
  await screen.findByRole('region', { name: 'Decide' })
  expect(reopened).toHaveLength(1)
})

test('a correction that was begun is not lost by leaving the page without a word', async () => {
  const boxes = (id: number, username: string) => ({ ...aReview().answers[0], id, author: { id, username }, value: { boxes: [{ class: 'zero', box: [1, 1, 9, 9] }] } })
  const review = aReview({ kind: 'boxes', answers: [boxes(1, 'ann'), boxes(2, 'bob')] as Review['answers'] })
  new FakeQueue('night', 0, 1, { kind: 'boxes', task: 'detection' })
  answer('get', '/labeling/tasks/12/comments', { results: [], next: null, mentionable: [] })
  receive('get', '/labeling/reviews', () => HttpResponse.json({ results: [review], next: null }))
  openApp('/review/night?at=3')
  const user = userEvent.setup()
  await screen.findByRole('img', { name: 'Sample a.png' })
  await user.keyboard('e')
  await screen.findByRole('button', { name: /Decide as corrected/ })
  await user.keyboard('{ArrowRight}')
  await user.click(screen.getByRole('link', { name: 'Datasets' }))
  await user.click(within(await screen.findByRole('dialog', { name: 'Leave without saving?' })).getByRole('button', { name: 'Stay' }))
  await user.keyboard('{ArrowLeft}')
  await user.click(screen.getByRole('link', { name: 'Datasets' }))
  await screen.findByRole('heading', { name: 'Datasets' })
})

test('a correction that was begun is there again when one comes back from another review', async () => {
  const said = [{ ...aReview().answers[0], value: { boxes: [{ class: 'zero', box: [1, 1, 9, 9] }] } }] as Review['answers']
  const boxes = (id: number, key: string) => aReview({ id, kind: 'boxes', answers: said, sample: { ...aReview().sample, key } })
  new FakeQueue('night', 0, 1, { kind: 'boxes', task: 'detection' })
  answer('get', '/labeling/tasks/12/comments', { results: [], next: null, mentionable: [] })
  receive('get', '/labeling/reviews', ({ url }) => HttpResponse.json({ results: url.searchParams.get('state') === 'open' ? [boxes(3, 'a.png'), boxes(4, 'b.png')] : [], next: null }))
  openApp('/review/night?at=3')
  const user = userEvent.setup()
  await screen.findByRole('img', { name: 'Sample a.png' })
  await user.keyboard('e')
  await screen.findByRole('button', { name: /Decide as corrected/ })
  await user.keyboard('{ArrowRight}')
  await user.click(screen.getByRole('button', { name: /^Next/ }))
  await screen.findByRole('img', { name: 'Sample b.png' })
  expect(screen.queryByRole('button', { name: /Decide as corrected/ })).toBeNull()
  await user.click(screen.getByRole('link', { name: 'Datasets' }))
  await user.click(within(await screen.findByRole('dialog', { name: 'Leave without saving?' })).getByRole('button', { name: 'Stay' }))
  await user.click(screen.getByRole('button', { name: 'Decided' }))
  await screen.findByText('No review of this queue has been decided yet.')
  await user.click(screen.getByRole('link', { name: 'Datasets' }))
  await user.click(within(await screen.findByRole('dialog', { name: 'Leave without saving?' })).getByRole('button', { name: 'Stay' }))
  await user.click(screen.getByRole('button', { name: 'Open' }))
  await screen.findByRole('img', { name: 'Sample a.png' })
  await screen.findByRole('button', { name: /Decide as corrected/ })
  await user.keyboard('{Escape}')
})

test('a shape is deleted by a button while a review is corrected: a finger has no keys', async () => {
  const box = { class: 'zero', box: [1, 1, 9, 9] }
  const said = [{ ...aReview().answers[0], value: { boxes: [box, { class: 'one', box: [2, 2, 20, 20] }] } }] as Review['answers']
  new FakeQueue('night', 0, 1, { kind: 'boxes', task: 'detection' })
  answer('get', '/labeling/tasks/12/comments', { results: [], next: null, mentionable: [] })
  receive('get', '/labeling/reviews', () => HttpResponse.json({ results: [aReview({ kind: 'boxes', answers: said })], next: null }))
  const sent = receive('post', '/labeling/reviews/3/decide', () => HttpResponse.json(aReview({ state: 'done' })))
  openApp('/review/night?at=3')
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: /^Correct/ }))
  const remove = await screen.findByRole('button', { name: /^Delete the shape/ })
  await user.click(remove)
  await user.click(remove)
  expect(screen.queryByRole('button', { name: /^Delete the shape/ })).toBeNull()
  await user.click(screen.getByRole('button', { name: /Decide as corrected/ }))
  await expect.poll(() => sent).toMatchObject([{ value: { boxes: [] } }])
})

test('the counts of the reasons are of those that are open, and a decided one is not a share of the decided ones', async () => {
  const open = [aReview(), aReview({ id: 4, task: 13, sample: { ...aReview().sample, key: 'b.png' } })]
  new FakeQueue('night', 0)
  answer('get', '/labeling/tasks/12/comments', { results: [], next: null, mentionable: [] })
  answer('get', '/labeling/tasks/13/comments', { results: [], next: null, mentionable: [] })
  const decided = aReview({ state: 'done', decision: { class: 'zero' } })
  let isDecided = false
  receive('get', '/labeling/reviews', ({ url }) =>
    HttpResponse.json({ results: url.searchParams.get('state') === 'open' ? open : isDecided ? [decided] : [], next: null }),
  )
  receive('post', '/labeling/reviews/3/decide', () => {
    isDecided = true
    return HttpResponse.json(decided)
  })
  openApp('/review/night?at=3')
  const user = userEvent.setup()
  await screen.findByRole('img', { name: 'Sample a.png' })
  expect(screen.getByRole('button', { name: 'All 2' })).toBeDefined()
  await user.keyboard('1')
  await screen.findByRole('button', { name: 'All 1' })
  expect(screen.getByRole('button', { name: 'Disagreement 1' })).toBeDefined()
  expect(screen.getByText('1/2')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Decided' }))
  await screen.findByText('1 decided')
  expect(screen.queryByRole('progressbar', { name: 'Decided' })).toBeNull()
})
