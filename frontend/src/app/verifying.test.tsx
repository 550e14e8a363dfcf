// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { serveQueue } from './testing/box-queue'
import { openApp } from './testing/open-app'
import { serveNothing } from './testing/server'

serveNothing()
beforeEach(() => localStorage.clear())
afterEach(cleanup)

const asks = (words: string) => screen.findByRole('heading', { name: words })

test('an image is verified by keys alone, and its answer comes back at the last question', async () => {
  const said = serveQueue()
  openApp('/label/by-key')
  await asks('Is this bus box right?')
  await userEvent.keyboard('1')
  await asks('Is this car box right?')
  await userEvent.keyboard('m{ArrowRight}{Enter}')
  await asks('Is one missing?')
  await userEvent.keyboard('n')
  await waitFor(() => expect(said.get(1)?.value.boxes).toEqual([
    { class: 'car', box: [2, 1, 21, 20] },
    { class: 'car', box: [30, 30, 60, 60] },
  ]))
  expect(said.get(1)?.verification).toMatchObject({ objects: [{ at: 0 }, { at: 1 }], missing: { found: false } })
  await asks('Is this bus box right?')
  await userEvent.keyboard('{Backspace}')
  await asks('Is one missing?')
  expect(screen.getByRole('img', { name: 'Sample 1.png' })).toBeTruthy()
  await userEvent.keyboard('{Backspace}')
  await asks('Is this car box right?')
  await userEvent.keyboard('xn')
  await waitFor(() => expect(said.get(1)?.verification?.objects.map(({ at }) => at)).toEqual([null, 0]))
})

test('buttons do what keys do, and what is missing is drawn in the same image', async () => {
  const said = serveQueue()
  openApp('/label/by-button')
  await asks('Is this bus box right?')
  await userEvent.click(screen.getByRole('button', { name: /^No, nothing here/ }))
  await asks('Is this car box right?')
  await userEvent.click(screen.getByRole('button', { name: /^Yes/ }))
  await userEvent.click(await screen.findByRole('button', { name: /^Yes, draw it/ }))
  await userEvent.click(await screen.findByRole('button', { name: 'Add a box' }))
  await userEvent.click(screen.getByRole('button', { name: /^Submit/ }))
  await waitFor(() => expect(said.get(1)?.verification).toMatchObject({ objects: [{ at: 0 }, { at: null }], missing: { found: true } }))
  expect(said.get(1)?.value.boxes).toHaveLength(2)
})

test('the keys of the questions are listed', async () => {
  serveQueue()
  openApp('/label/listed')
  await asks('Is this bus box right?')
  await userEvent.keyboard('?')
  const keys = await screen.findByRole('dialog', { name: 'Keys' })
  expect(keys.textContent).toContain('Moved: adjust the box')
  expect(keys.textContent).toContain('Wrong class')
  await userEvent.keyboard('{Escape}')
})

test('a queue that draws offers to accept all suggestions, from any score where the lead set none', async () => {
  serveQueue({ mode: 'label' })
  openApp('/label/drawn')
  await screen.findByRole('button', { name: /^Submit/ })
  await userEvent.click(screen.getByRole('button', { name: /^Accept all 2/ }))
  expect(within(screen.getByRole('list', { name: 'Shapes' })).queryByText('? model')).toBeNull()
  expect(screen.getByText('2 shapes')).toBeTruthy()
})
