// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'

import { choose } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const start = () => userEvent.click(screen.getByRole('button', { name: 'Start the back-test' }))

async function type(label: string, text: string): Promise<void> {
  await userEvent.clear(screen.getByLabelText(label))
  await userEvent.type(screen.getByLabelText(label), text)
}

test('a long form asks before it is left', async () => {
  openApp('/backtests')
  const [first] = await screen.findAllByRole('link', { name: /new back-test/i })
  if (first) await userEvent.click(first)
  await userEvent.type(await screen.findByLabelText('Name'), 'tried twice')
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }))
  const asks = await screen.findByRole('dialog', { name: 'Leave without saving?' })
  expect(asks.textContent).toContain('1 unsaved change on this page would be lost')
  await userEvent.click(within(asks).getByRole('button', { name: 'Stay' }))
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('tried twice')
  history.back()
  await userEvent.click(await screen.findByRole('button', { name: 'Leave' }))
  await waitFor(() => expect(document.title).toBe('Back-tests · Motherlode'))
})

test('a fault anywhere in it comes into view, whether the server or the page found it', async () => {
  const seen: Element[] = []
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    seen.push(this)
  })
  list('/datasets', [aDataset()])
  list('/models', [aModel()])
  openApp('/backtests/new')
  await choose(await screen.findByLabelText('Dataset'), /^pets/)
  await choose(screen.getByLabelText('Model'), 'pets-cnn@1')

  receive('post', '/backtests', () => refusal({ status: 404, detail: 'pets has no version nonesuch.' }))
  await start()
  expect(seen.at(-1)).toBe(await screen.findByRole('alert'))
  receive('post', '/backtests', () => refusal({ status: 400, detail: 'That cannot be.', errors: { seeds: ['must be 1 or more'] } }))
  await start()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Paired seeds')))

  const sent = receive('post', '/backtests', () => refusal({ status: 500, detail: 'nothing was to be sent' }))
  await type('Target accuracy, %', '150')
  await userEvent.type(screen.getByLabelText('Name'), 'x{Enter}')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Target accuracy, %')))
  expect(screen.getByText('Type a percentage from 0 to 100.')).toBeTruthy()
  expect(sent).toEqual([])
})

test('a strategy that is replayed takes its parameters, and one that is wrong is named before anything is sent', async () => {
  list('/datasets', [aDataset()])
  list('/models', [aModel()])
  const facts = { summary: 's', needs: [], tasks: ['classification'], replays: ['classification'] }
  list('/strategies', [
    { ...facts, name: 'auto', params_schema: { properties: {} } },
    { ...facts, name: 'margin', params_schema: { properties: {} } },
    { ...facts, name: 'bald', replays: [], params_schema: { properties: {} } },
    { ...facts, name: 'k_center', params_schema: { properties: { start: { type: 'integer', default: 1 } } } },
  ])
  openApp('/backtests/new')
  await choose(await screen.findByLabelText('Dataset'), /^pets/)
  await choose(screen.getByLabelText('Model'), 'pets-cnn@1')
  expect(screen.queryByRole('group', { name: 'Parameters of k center' })).toBeNull()
  expect(screen.queryByRole('checkbox', { name: /bald/ })).toBeNull()
  await userEvent.click(screen.getByRole('checkbox', { name: /k center/ }))
  const group = await screen.findByRole('group', { name: 'Parameters of k center' })
  const sent = receive('post', '/backtests', () => refusal({ status: 400, detail: 'That cannot be.', errors: { seeds: ['must be 1 or more'] } }))

  await userEvent.type(within(group).getByLabelText('Start'), 'many')
  await start()
  expect(await within(group).findByText('must be a whole number')).toBeTruthy()
  expect(sent).toEqual([])

  await userEvent.clear(within(group).getByLabelText('Start'))
  await userEvent.type(within(group).getByLabelText('Start'), '5')
  await start()
  await waitFor(() => expect(sent).toHaveLength(1))
  expect(sent[0]).toMatchObject({ strategies: ['auto', { name: 'k_center', params: { start: 5 } }] })
})
