// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { serveQueue } from './testing/box-queue'
import { openApp } from './testing/open-app'
import { serveNothing } from './testing/server'

serveNothing()
beforeEach(() => {
  localStorage.clear()
  // Only rows in sight are in the page, and jsdom gives nothing a height.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(248)
})
afterEach(cleanup)

async function open(name: string, threshold: number | null = null) {
  const said = serveQueue({ mode: 'label', accept_threshold: threshold })
  openApp(`/label/${name}`)
  await screen.findByRole('list', { name: 'Shapes' })
  const list = () => within(screen.getByRole('list', { name: 'Shapes' }))
  const row = (words: RegExp) => list().getByRole('button', { name: words })
  return { said, row, pressed: () => list().queryAllByRole('button', { pressed: true }).map((each) => each.textContent) }
}

const both = () => screen.findByRole('heading', { name: '2 shapes selected' })

test('the list shows what is selected and changes it: Ctrl adds one, Shift all between, a plain click leaves one', async () => {
  const user = userEvent.setup()
  const { row, pressed } = await open('by-list')
  expect(pressed()).toEqual(['bus0.40? model'])
  await user.keyboard('{Control>}')
  await user.click(row(/^car/))
  await user.keyboard('{/Control}')
  await both()
  expect(pressed()).toHaveLength(2)
  expect(screen.getByRole('heading', { name: 'Class of the 2 selected shapes' })).toBeTruthy()
  expect(screen.queryByLabelText('Left')).toBeNull() // the numbers are those of one shape
  expect(screen.getByText(/2 shapes selected: 1 car, 1 bus/)).toBeTruthy()
  await user.click(row(/^car/))
  expect(pressed()).toEqual(['car0.90? model'])
  await user.keyboard('{Shift>}')
  await user.click(row(/^bus/))
  await user.keyboard('{/Shift}')
  await both()
})

test('all are selected, renamed, deleted and brought back by keys, one undo each, and submitted as they are', async () => {
  const { said, pressed } = await open('by-keys')
  await userEvent.keyboard('{Control>}a{/Control}')
  await both()
  await userEvent.keyboard('1{ArrowRight}x')
  expect(screen.queryByRole('list', { name: 'Shapes' })).toBeNull()
  await userEvent.keyboard('{Control>}zz{/Control}')
  expect(pressed()).toEqual([])
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await waitFor(() => expect(said.get(1)?.value.boxes).toEqual([
    { class: 'car', box: [1, 1, 20, 20] },
    { class: 'car', box: [30, 30, 60, 60] },
  ]))
})

test('buttons do the same: accept several from the lead’s score on, hide, show, select none', async () => {
  const { row } = await open('by-button', 0.5)
  const press = (name: RegExp) => userEvent.click(screen.getByRole('button', { name }))
  await userEvent.keyboard('{Control>}a{/Control}')
  await press(/^Accept 2 A/)
  expect(screen.getByRole('alert').textContent).toContain('1 suggestion scores below 0.50')
  expect(row(/^car/).textContent).toContain('✓ ok')
  expect(row(/^bus/).textContent).toContain('? model')
  await press(/^Select several/)
  await userEvent.click(row(/^car/))
  await both()
  await press(/^Hide ⇧H/)
  expect(screen.getByText('2 shapes hidden')).toBeTruthy()
  expect(within(row(/^car/)).getByLabelText('hidden')).toBeTruthy()
  await press(/^Show$/)
  expect(screen.queryByText('2 shapes hidden')).toBeNull()
  await userEvent.keyboard('{Control>}a{/Control}')
  await press(/^Select none/)
  expect(screen.queryByRole('heading', { name: '2 shapes selected' })).toBeNull()
})

test('the keys of several shapes are listed, with what Shift does with the mouse', async () => {
  await open('listed')
  await userEvent.keyboard('?')
  const dialog = within(await screen.findByRole('dialog', { name: 'Keys' }))
  for (const words of ['Select all shapes', 'Add a shape to the selection, or take it away', 'Select every shape whose line the rectangle touches']) {
    expect(dialog.getByText(words)).toBeTruthy()
  }
})
