// @vitest-environment jsdom

import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import { FakeQueue } from './testing/fake-queue'
import { openApp } from './testing/open-app'
import { serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const shown = () => screen.getByRole('img', { name: /^Sample/ }).getAttribute('alt')

/** Presses a key and waits until another image stands there, or none. */
async function press(key: string): Promise<void> {
  const before = shown()
  await userEvent.keyboard(key)
  await waitFor(() => expect(screen.queryByRole('img', { name: /^Sample/ })?.getAttribute('alt')).not.toBe(before))
}

async function sitDown(name: string, count: number): Promise<FakeQueue> {
  const queue = new FakeQueue(name, count)
  openApp(`/label/${name}`)
  await screen.findByRole('img', { name: /^Sample/ })
  return queue
}

test('progress goes back with what is taken back', async () => {
  await sitDown('taken-back', 5)
  for (const key of ['1', '2', '3']) await press(key)
  await screen.findByText('3/5')
  for (let times = 0; times < 3; times += 1) await press('{Backspace}')
  await screen.findByText('0/5')
})

test('a queue of which all was skipped is asked again and then closed', async () => {
  const queue = await sitDown('skipped', 3)
  for (let times = 0; times < 3; times += 1) await press('s')
  await screen.findByRole('heading', { name: 'All 3 were skipped' })
  await userEvent.click(screen.getByRole('button', { name: 'Ask for the skipped ones again' }))
  await screen.findByRole('img', { name: /^Sample/ })
  for (let times = 0; times < 3; times += 1) await press('s')
  await userEvent.click(await screen.findByRole('button', { name: 'Close the queue' }))
  await screen.findByRole('heading', { name: 'The queue is closed' })
  expect(queue.state).toBe('committed')
})

test('while a page is chosen nothing is answered, and the list of keys knows the workspace', async () => {
  const queue = await sitDown('left-by-key', 3)
  await userEvent.keyboard('g3')
  expect(shown()).toBe('Sample 1.png')
  await userEvent.keyboard('?')
  const keys = await screen.findByRole('dialog', { name: 'Keys' })
  expect(keys.textContent).toContain('On this page')
  expect(keys.textContent).toContain('Skip this image')
  await userEvent.keyboard('{Escape}gd')
  await screen.findByRole('heading', { name: 'Datasets' })
  await userEvent.keyboard('?')
  expect((await screen.findByRole('dialog', { name: 'Keys' })).textContent).not.toContain('On this page')
  expect(queue.said.size).toBe(0)
})
